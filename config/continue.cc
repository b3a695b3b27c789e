#include "config/continue.h"

#include <algorithm>
#include <cctype>
#include <variant>

#include "config/keys.h"

namespace coppice::config {
namespace {

constexpr std::string_view kAgents = "agents";

constexpr std::string_view kKept[] = {kAgents,
                                      "plan_model",
                                      "code_model",
                                      "debug_model",
                                      "plan_temperature",
                                      "code_temperature",
                                      "debug_temperature",
                                      "max_output_tokens",
                                      "model_timeout_s",
                                      "model_retries",
                                      "model_failures",
                                      "models_file",
                                      "answers",
                                      "record",
                                      "openai_base_url",
                                      "openai_api_key_env",
                                      "openai_key_command",
                                      "anthropic_base_url",
                                      "anthropic_api_key_env",
                                      "anthropic_key_command",
                                      "window_history",
                                      "window_leaders",
                                      "baselines",
                                      "budget_evaluator_s",
                                      "cap_usd",
                                      "cap_tokens",
                                      "plan_cap_usd",
                                      "plan_cap_tokens",
                                      "code_cap_usd",
                                      "code_cap_tokens",
                                      "debug_cap_usd",
                                      "debug_cap_tokens",
                                      "day_cap_usd",
                                      "day_cap_tokens"};

// They run a command, say where a key goes or name a file to write, and so are
// not a database's to decide.
constexpr std::string_view kUsersOwn[] = {
    "models_file",           "record",
    "openai_base_url",       "openai_api_key_env",
    "openai_key_command",    "anthropic_base_url",
    "anthropic_api_key_env", "anthropic_key_command"};

constexpr ModelChoice Settings::*kModels[] = {
    &Settings::plan_model, &Settings::code_model, &Settings::debug_model};

bool Holds(const auto& list, const auto& value) {
  return std::ranges::find(list, value) != std::ranges::end(list);
}

bool IsNow(const Loaded& now, const Key& key, const Settings& settings) {
  return Print(key, settings) == Print(key, now.settings);
}

// Of a campaign whose agents are these.
bool IsUsed(std::string_view name, const Settings& settings) {
  return std::ranges::any_of(kModels, [&](ModelChoice Settings::*member) {
    const std::string& provider = (settings.*member).provider;
    if (name == "models_file" || name == "record") {
      return provider != "catalogue" && provider != "replay";
    }
    return name.starts_with(provider + "_");
  });
}

// A database may hold anything: the error is one line all the same.
std::string OneLine(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return std::iscntrl(static_cast<unsigned char>(c)); },
      '?');
  return text;
}

}  // namespace

std::span<const std::string_view> KeptKeys() { return kKept; }

bool MayBeTaken(const Loaded& now, const Override& stored) {
  const Key& key = *FindKey(stored.key);
  Settings then = now.settings;
  if (!Assign(key, stored.value, then)) return true;  // Continue says so.
  if (Holds(kUsersOwn, key.name)) return IsNow(now, key, then);
  const auto* member = std::get_if<ModelChoice Settings::*>(&key.member);
  if (member == nullptr || (then.**member).provider != "exec") return true;
  return std::ranges::any_of(kModels, [&](ModelChoice Settings::*named) {
    return now.settings.*named == then.**member;
  });
}

Result<void> CheckSaid(const Loaded& now, const std::vector<Override>& then) {
  TRY(settings, Continue(now, then));
  std::string stored;
  std::string options;
  for (const Override& row : then) {
    if (!Holds(kKept, row.key) || IsGiven(now, row.key) ||
        MayBeTaken(now, row) ||
        (Holds(kUsersOwn, row.key) && !IsUsed(row.key, settings))) {
      continue;
    }
    const char* separator = stored.empty() ? "" : ", ";
    stored += separator + row.key + " '" + OneLine(row.value) + "'";
    options += separator + ("--" + OptionName(row.key));
  }
  if (stored.empty()) return {};
  return Fail(Errc::kUsage, "was started with " + stored +
                                ", which a database may not decide: give " +
                                options + " again to go on");
}

Result<Settings> Continue(const Loaded& now,
                          const std::vector<Override>& then) {
  Settings settings = now.settings;
  for (const auto& [name, value] : then) {
    if (!Holds(kKept, name)) continue;
    if (name != kAgents && IsGiven(now, name)) continue;
    if (!MayBeTaken(now, {name, value})) continue;
    if (auto done = Assign(*FindKey(name), value, settings); !done) {
      return Fail(Errc::kCorrupt,
                  "stored setting " + name + ": " + done.error().what);
    }
  }
  return settings;
}

}  // namespace coppice::config
