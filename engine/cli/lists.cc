#include "engine/cli/lists.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <sstream>
#include <string_view>
#include <utility>

#include "engine/campaign/policy_terms.h"
#include "engine/compare/contender.h"
#include "engine/python_policy/policy_file.h"
#include "search/policy.h"
#include "store/records/joined.h"

namespace coppice::cli {
namespace {

std::string PolicyHint() {
  return "as in --policies stark,greedy, or all; there are " +
         Joined(search::PolicyNames(), " ");
}

// Constants and settings of one are separated by commas, too: a word that is
// but KEY=VALUE belongs to the one before it.  "all" is all policies.
std::vector<std::string> SplitPolicies(const std::string& text) {
  std::vector<std::string> policies;
  std::istringstream list(text);
  for (std::string word; std::getline(list, word, ',');) {
    const std::size_t sign = word.find_first_of(":@=");
    const bool belongs = sign != word.npos && word[sign] == '=';
    if (belongs && !policies.empty()) {
      policies.back() += "," + word;
    } else if (word == "all") {
      for (const std::string_view name : search::PolicyNames()) {
        policies.emplace_back(name);
      }
    } else if (!word.empty()) {
      policies.push_back(std::move(word));
    }
  }
  return policies;
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

Result<std::int64_t> CountUpTo(std::int64_t most, const Invocation& invocation,
                               const std::string& option,
                               std::int64_t otherwise) {
  const std::int64_t count = invocation.Count(option).value_or(otherwise);
  if (count >= 1 && count <= most) return count;
  return Fail(Errc::kUsage, "--" + option + " " + std::to_string(count) +
                                ": expected 1 to " + std::to_string(most));
}

Result<std::vector<std::uint64_t>> CountedSeeds(const Invocation& invocation,
                                                std::int64_t most,
                                                std::int64_t otherwise) {
  TRY(count, CountUpTo(most, invocation, "seeds", otherwise));
  std::vector<std::uint64_t> seeds(static_cast<std::size_t>(count));
  std::iota(seeds.begin(), seeds.end(), invocation.settings().seed);
  return seeds;
}

Result<int> ThreadsOf(const Invocation& invocation, int otherwise) {
  constexpr int kMost = 256;  // A machine may have more cores.
  return CountUpTo(kMost, invocation, "parallel", std::min(otherwise, kMost))
      .map([](std::int64_t count) { return static_cast<int>(count); });
}

Result<std::vector<std::string>> PoliciesOf(
    const Invocation& invocation, const std::vector<std::string>& otherwise) {
  const bool alone = invocation.settings().agents == config::Agents::kAlone;
  std::vector<std::string> policies = otherwise;
  if (const auto text = invocation.Text("policies")) {
    policies.clear();
    for (const std::string& word : SplitPolicies(*text)) {
      engine::LendPolicy(word.substr(0, engine::EndOfPythonPolicy(word)),
                         invocation.settings());
      TRY(contender, engine::ParseContender(word));
      contender.alone = contender.alone || alone;
      policies.push_back(NameOf(contender));
    }
  }
  if (policies.empty()) {
    return Fail(Errc::kUsage, "--policies: say which, " + PolicyHint());
  }
  if (const auto axes = invocation.Text("vary")) {
    auto varied = engine::Varied(policies, *axes);
    if (!varied) return Fail(Errc::kUsage, "--vary " + varied.error().what);
    policies = *std::move(varied);
  }
  if (const auto versions = invocation.Text("prompts")) {
    auto varied = engine::Varied(policies, "prompts=" + *versions);
    if (!varied) return Fail(Errc::kUsage, "--prompts: " + varied.error().what);
    policies = *std::move(varied);
  }
  KeepFirsts(policies);
  return policies;
}

Result<std::optional<std::string>> BaselineOf(
    const Invocation& invocation, const std::vector<std::string>& policies) {
  const auto text = invocation.Text("baseline");
  if (!text) return std::optional<std::string>();
  TRY(contender, engine::ParseContender(*text));
  std::vector<std::string> names = {NameOf(contender)};
  if (invocation.settings().agents == config::Agents::kAlone) {
    contender.alone = true;  // As --agents says it of all policies.
    names.push_back(NameOf(contender));
  }
  for (std::string& name : names) {
    if (std::ranges::find(policies, name) != policies.end()) {
      return std::optional(std::move(name));
    }
  }
  return Fail(Errc::kUsage,
              "--baseline " + *text + ": is not among the policies");
}

std::string UsualBaseline(const std::vector<std::string>& policies) {
  constexpr const char* kUsual = "stark";
  const bool has_usual = std::ranges::find(policies, kUsual) != policies.end();
  return has_usual ? kUsual : policies.front();
}

}  // namespace coppice::cli
