#include "config/keys.h"

#include <algorithm>

namespace coppice::config {
namespace {

constexpr double kMaxCount = 1e15;  // Exact in a double.
constexpr double kMaxSeconds = 1e9;

constexpr Key kKeys[] = {
    {"db", "FILE", "the database", &Settings::db},
    {"preset", "NAME",
     "settings at once: stark, multi_agent, search, reflexion, sampling",
     &Settings::preset},
    {"policy", "NAME", "search policy", &Settings::policy},
    {"agents", "HOW", "team, or alone: the code agent without plans",
     &Settings::agents},
    {"seed", "N", "of every random choice", &Settings::seed},
    {"budget",
     "N",
     "attempts of a campaign",
     &Settings::budget_attempts,
     {0, kMaxCount}},
    {"budget_s",
     "SECONDS",
     "wall time of a campaign, over all its processes; none: no limit",
     &Settings::budget_s,
     {0, kMaxSeconds}},
    {"threads", "N", "that a kernel may use", &Settings::threads, {1, 4096}},
    {"parallel",
     "N",
     "attempts at the same time; they are measured one by one",
     &Settings::parallel,
     {1, 256}},
    {"plan_model", "MODEL", "plan agent: PROVIDER or PROVIDER:MODEL",
     &Settings::plan_model},
    {"code_model", "MODEL", "code agent, likewise", &Settings::code_model},
    {"debug_model", "MODEL", "debug agent, likewise", &Settings::debug_model},
    {"plan_temperature",
     "T",
     "of the plan agent; none: the model's own",
     &Settings::plan_temperature,
     {0, 2}},
    {"code_temperature",
     "T",
     "of the code agent, likewise",
     &Settings::code_temperature,
     {0, 2}},
    {"debug_temperature",
     "T",
     "of the debug agent, likewise",
     &Settings::debug_temperature,
     {0, 2}},
    {"max_output_tokens",
     "N",
     "of one model call",
     &Settings::max_output_tokens,
     {1, 1e7}},
    {"model_timeout_s",
     "SECONDS",
     "of one model call",
     &Settings::model_timeout_s,
     {1, kMaxSeconds}},
    {"openai_base_url", "URL", "of any server that speaks Chat Completions",
     &Settings::openai_base_url},
    {"openai_api_key_env", "NAME", "the environment variable with its key",
     &Settings::openai_api_key_env},
    {"cap_usd",
     "DOLLARS",
     "most cost of a campaign; none: no cap",
     &Settings::cap_usd,
     {0, 1e9}},
    {"cap_tokens",
     "N",
     "most tokens, input and output of a campaign; none: no cap",
     &Settings::cap_tokens,
     {0, kMaxCount}},
    {"plan_cap_usd",
     "DOLLARS",
     "most cost of its plan agent; none: no cap",
     &Settings::plan_cap_usd,
     {0, 1e9}},
    {"plan_cap_tokens",
     "N",
     "most tokens, input and output of its plan agent; none: no cap",
     &Settings::plan_cap_tokens,
     {0, kMaxCount}},
    {"code_cap_usd",
     "DOLLARS",
     "most cost of its code agent; none: no cap",
     &Settings::code_cap_usd,
     {0, 1e9}},
    {"code_cap_tokens",
     "N",
     "most tokens, input and output of its code agent; none: no cap",
     &Settings::code_cap_tokens,
     {0, kMaxCount}},
    {"debug_cap_usd",
     "DOLLARS",
     "most cost of its debug agent; none: no cap",
     &Settings::debug_cap_usd,
     {0, 1e9}},
    {"debug_cap_tokens",
     "N",
     "most tokens, input and output of its debug agent; none: no cap",
     &Settings::debug_cap_tokens,
     {0, kMaxCount}},
    {"day_cap_usd",
     "DOLLARS",
     "most cost of all campaigns of the database in a day (UTC); none: no cap",
     &Settings::day_cap_usd,
     {0, 1e9}},
    {"day_cap_tokens",
     "N",
     "most tokens, input and output of all campaigns of the database in a day "
     "(UTC); none: no cap",
     &Settings::day_cap_tokens,
     {0, kMaxCount}},
    {"window_history",
     "N",
     "nodes an agent is shown beside its own and the root",
     &Settings::window_history,
     {0, 1000}},
    {"window_leaders",
     "N",
     "of them, leaders that the plan agent is shown",
     &Settings::window_leaders,
     {0, 1000}},
    {"compile_timeout_s",
     "SECONDS",
     "of one compilation",
     &Settings::compile_timeout_s,
     {0.1, kMaxSeconds}},
    {"call_timeout_s",
     "SECONDS",
     "of one batch of kernel calls",
     &Settings::call_timeout_s,
     {0.1, kMaxSeconds}},
    {"lease_s",
     "SECONDS",
     "that an attempt outlives its last heartbeat",
     &Settings::lease_s,
     {1, kMaxSeconds}},
    {"data_directory", "DIR", "tasks and prompts", &Settings::data_directory},
    {"cache_directory", "DIR", "compiled kernels", &Settings::cache_directory},
    {"cache_limit_mb",
     "N",
     "of compiled kernels; those not used for longest go first",
     &Settings::cache_limit_mb,
     {1, 1e9}},
};

}  // namespace

std::span<const Key> Keys() { return kKeys; }

const Key* FindKey(std::string_view name) {
  const auto* found =
      std::find_if(std::begin(kKeys), std::end(kKeys),
                   [&](const Key& k) { return k.name == name; });
  return found == std::end(kKeys) ? nullptr : found;
}

std::string EnvironmentName(std::string_view key) {
  std::string name = "COPPICE_";
  for (const char c : key) {
    name += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return name;
}

std::string OptionName(std::string_view key) {
  std::string name(key);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

}  // namespace coppice::config
