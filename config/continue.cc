#include "config/continue.h"

#include <algorithm>

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

bool IsGiven(const Loaded& loaded, std::string_view key) {
  return std::ranges::any_of(loaded.origins, [&](const Origin& row) {
    return row.key == key && row.origin != "default";
  });
}

}  // namespace

std::span<const std::string_view> KeptKeys() { return kKept; }

Result<Settings> Continue(const Loaded& now,
                          const std::vector<Override>& then) {
  Settings settings = now.settings;
  for (const auto& [name, value] : then) {
    if (std::ranges::find(kKept, name) == std::ranges::end(kKept)) continue;
    if (name != kAgents && IsGiven(now, name)) continue;
    if (auto done = Assign(*FindKey(name), value, settings); !done) {
      return Fail(Errc::kCorrupt,
                  "stored setting " + name + ": " + done.error().what);
    }
  }
  return settings;
}

}  // namespace coppice::config
