#include "engine/cli/lists.h"

#include <sstream>

#include "engine/grid.h"
#include "search/policy.h"

namespace coppice::cli {
namespace {

std::string PolicyHint() {
  std::string hint = "as in --policies stark,greedy, or all; there are";
  for (const std::string_view name : search::PolicyNames()) {
    hint.append(" ").append(name);
  }
  return hint;
}

}  // namespace

std::vector<std::string> SplitList(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream list(text);
  std::string word;
  while (std::getline(list, word, ',')) {
    if (!word.empty()) words.push_back(word);
  }
  KeepFirsts(words);
  return words;
}

Result<std::vector<std::string>> GivenList(
    const Invocation& invocation, const std::string& option,
    const std::vector<std::string>& otherwise, const std::string& hint) {
  const auto text = invocation.Text(option);
  if (!text && !otherwise.empty()) return otherwise;
  auto words = SplitList(text.value_or(""));
  if (!words.empty()) return words;
  return Fail(Errc::kUsage, "--" + option + ": say which, " + hint);
}

Result<std::vector<std::string>> PoliciesOf(
    const Invocation& invocation, const std::vector<std::string>& otherwise) {
  TRY(words, GivenList(invocation, "policies", otherwise, PolicyHint()));
  if (!invocation.Has("policies")) return words;
  std::vector<std::string> policies;
  for (const std::string& word : words) {
    if (word != "all") {
      policies.push_back(word);
      continue;
    }
    for (const std::string_view name : search::PolicyNames()) {
      policies.emplace_back(name);
    }
  }
  for (std::string& policy : policies) {
    const engine::Contender contender = engine::ContenderOf(policy);
    TRY_DONE(search::MakePolicy(contender.policy).map([](const auto&) {}));
    const bool alone = invocation.settings().agents == config::Agents::kAlone;
    if (alone && !contender.alone) policy += ".alone";
  }
  KeepFirsts(policies);
  return policies;
}

}  // namespace coppice::cli
