#include "engine/compare/contender.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "config/keys.h"
#include "engine/python_policy/policy_file.h"
#include "search/policy.h"
#include "store/records/nearest_name.h"

namespace coppice::engine {
namespace {

constexpr std::string_view kAlone = ".alone";
constexpr std::string_view kAgents = "agents";  // Said by that.

std::vector<std::string> Split(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream list(text);
  for (std::string word; std::getline(list, word, ',');) {
    words.push_back(std::move(word));
  }
  return words;
}

// "window_history=5", with the value as it is printed.
Result<config::Override> ParseSetting(const std::string& word) {
  const std::size_t equals = std::min(word.find('='), word.size());
  const std::string name = word.substr(0, equals);
  const std::vector<std::string_view> axes = Axes();
  if (std::ranges::find(axes, name) == axes.end()) {
    std::string what = "'" + name + "' is no setting that contenders differ in";
    const auto nearest =
        NearestName(name, std::vector<std::string>(axes.begin(), axes.end()));
    if (nearest)
      return Fail(Errc::kUsage, what + "; did you mean " + *nearest + "?");
    what += "; there are";
    for (const std::string_view axis : axes) what.append(" ").append(axis);
    return Fail(Errc::kUsage, std::move(what));
  }
  const config::Key& key = *config::FindKey(name);
  config::Settings settings;
  const std::string value =
      equals == word.size() ? "" : word.substr(equals + 1);
  if (auto done = config::Assign(key, value, settings); !done) {
    return Fail(done.error().code,
                name + "=" + value + ": " + done.error().what);
  }
  if (value.find_first_of("@=") != value.npos) {
    return Fail(Errc::kUsage,
                name + "=" + value + ": a contender's value has no @ and no =");
  }
  return config::Override{name, config::Print(key, settings)};
}

// In place of another value of the same key.
void Put(const config::Override& setting, Contender& contender) {
  if (setting.key == kAgents) {
    contender.alone = setting.value == "alone";
    return;
  }
  const auto same = std::ranges::find(contender.settings, setting.key,
                                      &config::Override::key);
  if (same == contender.settings.end()) {
    contender.settings.push_back(setting);
  } else {
    same->value = setting.value;
  }
}

using Variation = std::vector<config::Override>;

Result<std::vector<Variation>> ParseVariations(const std::string& text) {
  std::vector<Variation> axes;
  std::string key;
  for (std::string word : Split(text)) {
    const std::size_t equals = word.find('=');
    if (equals != word.npos) {
      key = word.substr(0, equals);
      axes.emplace_back();
    } else if (key.empty()) {
      return Fail(Errc::kUsage, word + ": expected KEY=VALUE,VALUE,...");
    } else {
      word = key + "=" + word;
    }
    TRY(setting, ParseSetting(word));
    axes.back().push_back(std::move(setting));
  }
  return axes;
}

}  // namespace

std::vector<std::string_view> Axes() {
  std::vector<std::string_view> axes = {kAgents};
  for (const std::string_view name :
       config::NamesIn({config::Group::kModels, config::Group::kPrompts,
                        config::Group::kMemory})) {
    if (!config::FindKey(name)->Has(config::kUsersOwn)) axes.push_back(name);
  }
  return axes;
}

namespace {

// The place of the "@" before its settings, or its end.
std::size_t EndOfWho(const std::string& name) {
  return std::min(name.find('@', EndOfPythonPolicy(name)), name.size());
}

}  // namespace

Contender ContenderOf(const std::string& name) {
  Contender contender;
  const std::size_t at = EndOfWho(name);
  contender.policy = name.substr(0, at);
  if (contender.policy.ends_with(kAlone)) {
    contender.policy.resize(contender.policy.size() - kAlone.size());
    contender.alone = true;
  }
  for (const std::string& word :
       Split(at == name.size() ? "" : name.substr(at + 1))) {
    const std::size_t equals = word.find('=');
    contender.settings.push_back(
        {word.substr(0, equals),
         word.substr(std::min(equals, word.size() - 1) + 1)});
  }
  return contender;
}

std::string AgentsOf(const Contender& contender) {
  return contender.alone ? "alone" : "team";
}

Result<config::Settings> OwnSettings(const Contender& contender,
                                     config::Settings settings) {
  settings.agents =
      contender.alone ? config::Agents::kAlone : config::Agents::kTeam;
  for (const auto& [key, value] : contender.settings) {
    TRY_DONE(config::Assign(*config::FindKey(key), value, settings));
  }
  return settings;
}

Result<Contender> ParseContender(const std::string& text) {
  const std::size_t at = EndOfWho(text);
  Contender contender = ContenderOf(text.substr(0, at));
  TRY(policy, search::MakePolicy(contender.policy));
  contender.policy = policy->Name();
  for (const std::string& word :
       Split(at == text.size() ? "" : text.substr(at + 1))) {
    TRY(setting, ParseSetting(word));
    Put(setting, contender);
  }
  return contender;
}

std::string NameOf(const Contender& contender) {
  std::string name = contender.policy;
  if (contender.alone) name += kAlone;
  std::string separator = "@";
  for (const std::string_view axis : Axes()) {
    const auto setting =
        std::ranges::find(contender.settings, axis, &config::Override::key);
    if (setting == contender.settings.end()) continue;
    name += separator + setting->key + "=" + setting->value;
    separator = ",";
  }
  return name;
}

Result<std::vector<std::string>> Varied(
    const std::vector<std::string>& contenders, const std::string& axes) {
  TRY(parsed, ParseVariations(axes));
  std::vector<Contender> varied;
  for (const std::string& name : contenders)
    varied.push_back(ContenderOf(name));
  for (const Variation& axis : parsed) {
    std::vector<Contender> more;
    for (const Contender& contender : varied) {
      for (const config::Override& value : axis) {
        more.push_back(contender);
        Put(value, more.back());
      }
    }
    varied = std::move(more);
  }
  std::vector<std::string> names;
  for (const Contender& contender : varied) names.push_back(NameOf(contender));
  return names;
}

}  // namespace coppice::engine
