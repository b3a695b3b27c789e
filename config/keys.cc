#include "config/keys.h"

#include <algorithm>

namespace coppice::config {
namespace {

constexpr double kMaxSeconds = 1e9;

constexpr NumberRange Between(double least, double most) {
  return {least, most};
}

constexpr NumberRange kSeconds = Between(0, kMaxSeconds);
constexpr NumberRange kFromZero = Between(0, kMaxSeconds);
constexpr NumberRange kTenthsUp = Between(0.1, kMaxSeconds);  // Of seconds.
constexpr NumberRange kSecondsUp = Between(1, kMaxSeconds);
constexpr NumberRange kCounts = Between(0, 1e15);  // Exact in a double.
constexpr NumberRange kDollars = Between(0, 1e9);
constexpr NumberRange kTemperatures = Between(0, 2);
constexpr std::string_view kEfforts = "none|minimal|low|medium|high|xhigh|max";

constexpr Key kKeys[] = {
    {"db", "FILE", "the database", Group::kDatabase, kPlain, &Settings::db},
    {"budget", "N", "attempts of a campaign", Group::kBudget, kVaried,
     &Settings::budget_attempts, kCounts},
    {"budget_s", "SECONDS", "wall time of a campaign, over all its processes",
     Group::kBudget, kVaried, &Settings::budget_s, kSeconds},
    {"budget_evaluator_s", "SECONDS",
     "that judging the attempts of a campaign may take; the root, and what is "
     "measured again, are not counted",
     Group::kBudget, kVaried | kKept, &Settings::budget_evaluator_s, kSeconds},
    {"tuning_trials", "N",
     "further configurations tried of a candidate that leaves numbers to be "
     "tuned; 0: none",
     Group::kBudget, kKept, &Settings::tuning_trials, Between(0, 1000)},
    {"stop_at_speedup", "TIMES",
     "ends a campaign once its best kernel is so many times as fast as the "
     "root",
     Group::kStop, kVaried | kKept, &Settings::stop_at_speedup,
     Between(0.001, 1e9)},
    {"stop_at_baseline", "BASELINE",
     "ends it once it is faster than expert, eager, compile or max-autotune",
     Group::kStop, kVaried | kKept, &Settings::stop_at_baseline},
    {"stop_without_gain", "N",
     "ends it after so many attempts in a row without a faster kernel",
     Group::kStop, kVaried | kKept, &Settings::stop_without_gain,
     Between(1, 1e9)},
    {"preset", "PRESET",
     "several settings at once: xei, stark, multi_agent, search, reflexion or "
     "sampling",
     Group::kSearch, kConstant, &Settings::preset},
    {"policy", "POLICY",
     "which node each attempt starts from; one of your own is "
     "python:FILE.py:CLASS",
     Group::kSearch, kVaried, &Settings::policy},
    {"agents", "team|alone",
     "plan, code and debug agents, or the code agent without plans",
     Group::kSearch, kConstant | kKept, &Settings::agents},
    {"seed", "N", "of every random choice", Group::kSearch, kConstant,
     &Settings::seed},
    {"policy_python", "FILE", "that runs a policy in Python", Group::kPolicy,
     kPlain, &Settings::policy_python},
    {"policy_timeout_s", "SECONDS", "of one decision of a policy in Python",
     Group::kPolicy, kPlain, &Settings::policy_timeout_s, kTenthsUp},
    {"policy_check", "some|all",
     "decisions of a policy in Python that are asked again, to find out "
     "whether it is pure: each sixteenth, or all",
     Group::kPolicy, kPlain, &Settings::policy_check},
    {"policy_changed", "no|yes",
     "whether a campaign may go on by another text of its policy in Python",
     Group::kPolicy, kVaried, &Settings::policy_changed},
    {"parallel", "N",
     "attempts at the same time, measured one by one on each device; by "
     "default as many as there are devices",
     Group::kAttempts, kVaried, &Settings::parallel, Between(1, 256)},
    {"lease_s", "SECONDS", "that an attempt outlives its last heartbeat",
     Group::kAttempts, kPlain, &Settings::lease_s, kSecondsUp},
    {"plan_model", "MODEL,...",
     "asked for plans: PROVIDER or PROVIDER:MODEL; of several each attempt "
     "asks one",
     Group::kModels, kKept, &Settings::plan_model},
    {"code_model", "MODEL,...",
     "asked for code, likewise; in Python also in place of an agent without "
     "one",
     Group::kModels, kKept, &Settings::code_model},
    {"debug_model", "MODEL,...", "asked for repairs, likewise", Group::kModels,
     kKept, &Settings::debug_model},
    {"model_choice", "RULE",
     "which of several an attempt asks: bandit, by what they gained and cost, "
     "or round_robin",
     Group::kModels, kKept, &Settings::model_choice},
    {"plan_temperature", "T", "of plans; none: the model's own", Group::kModels,
     kKept, &Settings::plan_temperature, kTemperatures},
    {"code_temperature", "T", "of code; none: the model's own", Group::kModels,
     kKept, &Settings::code_temperature, kTemperatures},
    {"debug_temperature", "T", "of repairs; none: the model's own",
     Group::kModels, kKept, &Settings::debug_temperature, kTemperatures},
    {"plan_effort", kEfforts,
     "of reasoning about plans, as the model has it; none: the model's own",
     Group::kModels, kKept, &Settings::plan_effort},
    {"code_effort", kEfforts,
     "of reasoning about code, as the model has it; none: the model's own",
     Group::kModels, kKept, &Settings::code_effort},
    {"debug_effort", kEfforts,
     "of reasoning about repairs, as the model has it; none: the model's own",
     Group::kModels, kKept, &Settings::debug_effort},
    {"max_output_tokens", "N", "of one model call", Group::kModels, kKept,
     &Settings::max_output_tokens, Between(1, 1e7)},
    {"answers", "auto|text",
     "auto: as JSON where a model can be held to it; text: never",
     Group::kModels, kKept, &Settings::answers},
    {"model_timeout_s", "SECONDS",
     "of one model call, its retries and the waits between them",
     Group::kModels, kKept, &Settings::model_timeout_s, kSecondsUp},
    {"model_retries", "N",
     "of a call that may go well later; none: as many as there is time for",
     Group::kModels, kKept, &Settings::model_retries, Between(0, 100)},
    {"model_failures", "N",
     "attempts in a row without an answer, times --parallel, that end a run; "
     "none: it waits for one",
     Group::kModels, kKept, &Settings::model_failures, Between(1, 1000)},
    {"session_usd", "DOLLARS", "most cost of an agent's session in an attempt",
     Group::kModels, kKept, &Settings::session_usd, kDollars},
    {"session_calls", "N", "most calls of tools in such a session",
     Group::kModels, kKept, &Settings::session_calls, Between(1, 10'000)},
    {"session_s", "SECONDS", "of such a session", Group::kModels, kKept,
     &Settings::session_s, kSecondsUp},
    {"record", "FILE",
     "adds each answer of a model to this cassette, for replay:FILE",
     Group::kModels, kKept | kUsersOwn, &Settings::record},
    {"models_file", "FILE",
     "providers, models and prices of your own (data/models.json)",
     Group::kProviders, kKept | kUsersOwn, &Settings::models_file},
    {"openai_base_url", "URL", "of any server that speaks Chat Completions",
     Group::kProviders, kKept | kUsersOwn, &Settings::openai_base_url},
    {"openai_api_key_env", "VARIABLE", "the environment variable with its key",
     Group::kProviders, kKept | kUsersOwn, &Settings::openai_api_key_env},
    {"openai_key_command", "COMMAND",
     "prints the key instead, as in \"pass show openai\"", Group::kProviders,
     kKept | kUsersOwn, &Settings::openai_key_command},
    {"anthropic_base_url", "URL", "of a server that speaks Messages",
     Group::kProviders, kKept | kUsersOwn, &Settings::anthropic_base_url},
    {"anthropic_api_key_env", "VARIABLE",
     "the environment variable with its key", Group::kProviders,
     kKept | kUsersOwn, &Settings::anthropic_api_key_env},
    {"anthropic_key_command", "COMMAND", "prints the key instead",
     Group::kProviders, kKept | kUsersOwn, &Settings::anthropic_key_command},
    {"cap_usd", "DOLLARS", "most cost of a campaign", Group::kMoney, kKept,
     &Settings::cap_usd, kDollars},
    {"cap_tokens", "N", "most tokens of a campaign, input and output",
     Group::kMoney, kKept, &Settings::cap_tokens, kCounts},
    {"plan_cap_usd", "DOLLARS", "most cost of its plan agent", Group::kMoney,
     kKept, &Settings::plan_cap_usd, kDollars},
    {"plan_cap_tokens", "N", "most tokens of its plan agent, input and output",
     Group::kMoney, kKept, &Settings::plan_cap_tokens, kCounts},
    {"code_cap_usd", "DOLLARS", "most cost of its code agent", Group::kMoney,
     kKept, &Settings::code_cap_usd, kDollars},
    {"code_cap_tokens", "N", "most tokens of its code agent, input and output",
     Group::kMoney, kKept, &Settings::code_cap_tokens, kCounts},
    {"debug_cap_usd", "DOLLARS", "most cost of its debug agent", Group::kMoney,
     kKept, &Settings::debug_cap_usd, kDollars},
    {"debug_cap_tokens", "N",
     "most tokens of its debug agent, input and output", Group::kMoney, kKept,
     &Settings::debug_cap_tokens, kCounts},
    {"day_cap_usd", "DOLLARS",
     "most cost of all campaigns of the database in a day (UTC)", Group::kMoney,
     kKept, &Settings::day_cap_usd, kDollars},
    {"day_cap_tokens", "N",
     "most tokens of all campaigns of the database in a day (UTC), input and "
     "output",
     Group::kMoney, kKept, &Settings::day_cap_tokens, kCounts},
    {"settle_after_s", "SECONDS",
     "after which a lost call counts, if a cap is near, as what it is likely "
     "to "
     "have used; none: never",
     Group::kMoney, kKept, &Settings::settle_after_s, kSeconds},
    {"assistant_model", "MODEL",
     "answers `coppice ask`: PROVIDER:MODEL; catalogue: nobody, but for canned "
     "questions",
     Group::kAssistant, kOfUserAlone, &Settings::assistant_model},
    {"assistant_usd_day", "DOLLARS",
     "most cost of the assistant in a day (UTC), apart from campaigns",
     Group::kAssistant, kOfUserAlone, &Settings::assistant_usd_day, kDollars},
    {"on_done", "COMMAND",
     "run when a campaign is done, with COPPICE_MESSAGE and other facts in "
     "variables",
     Group::kNotices, kOfUserAlone, &Settings::on_done},
    {"on_best", "COMMAND", "run when there is a new best kernel",
     Group::kNotices, kOfUserAlone, &Settings::on_best},
    {"on_trouble", "COMMAND",
     "run when something is waited for, put off, or ends a run",
     Group::kNotices, kOfUserAlone, &Settings::on_trouble},
    {"on_steered", "COMMAND",
     "run when what a person asked holds or is refused, or a candidate breaks "
     "it",
     Group::kNotices, kOfUserAlone, &Settings::on_steered},
    {"window_history", "N", "nodes that an agent is shown at most",
     Group::kPrompts, kKept, &Settings::window_history, Between(0, 1000)},
    {"window_cap", "others|all",
     "whether that counts its own node and the root, which are always shown",
     Group::kPrompts, kKept, &Settings::window_cap},
    {"window_leaders", "N", "of them, leaders that the plan agent is shown",
     Group::kPrompts, kKept, &Settings::window_leaders, Between(0, 1000)},
    {"window_leaders_rule", "outside|board",
     "the best outside its node's subtree, or those of the best of all that "
     "are outside it",
     Group::kPrompts, kKept, &Settings::window_leaders_rule},
    {"grounding", "used|required|off",
     "plans mark the lines to change; required: or are refused if they change "
     "others; off: they mark none",
     Group::kPrompts, kKept, &Settings::grounding},
    {"system_message", "own|v1|v2",
     "how agents are spoken to: by our words, or by one of STARK's two other "
     "messages",
     Group::kPrompts, kKept, &Settings::system_message},
    {"memory", "FILE,...",
     "databases of other campaigns to learn from; library: what --remember "
     "keeps",
     Group::kMemory, kConstant, &Settings::memory},
    {"memory_same_task", "no|yes",
     "whether it learns from campaigns on the same task, too", Group::kMemory,
     kConstant, &Settings::memory_same_task},
    {"remember", "no|yes",
     "whether the library of this user keeps what a campaign tried, without "
     "sources",
     Group::kMemory, kUsersOwn, &Settings::remember},
    {"prompts", "VERSION",
     "templates of prompts: v1, v2, or a folder of your own, whose files take "
     "the place of those of v2",
     Group::kPrompts, kKept | kVaried, &Settings::prompts},
    {"threads", "N", "that a kernel may use", Group::kThreads, kPlain,
     &Settings::threads, Between(1, 4096)},
    {"compile_timeout_s", "SECONDS", "of one compilation", Group::kTimeouts,
     kPlain, &Settings::compile_timeout_s, kTenthsUp},
    {"call_timeout_s", "SECONDS", "of one batch of kernel calls",
     Group::kTimeouts, kPlain, &Settings::call_timeout_s, kTenthsUp},
    {"quiet_wait_s", "SECONDS",
     "that a machine which is not quiet is waited for before it is measured on",
     Group::kTimeouts, kPlain, &Settings::quiet_wait_s, kFromZero},
    {"devices", "DEVICES",
     "GPUs to measure on, one kernel on each at a time: all, or indices and "
     "UUIDs (0,2); auto: the first, or cpu where tasks in PyTorch find none",
     Group::kDevices, kPlain, &Settings::devices},
    {"python", "FILE", "with PyTorch, for tasks in it; none: found by itself",
     Group::kPython, kPlain, &Settings::python},
    {"protocol", "coppice|kernelbench|flashinfer-bench",
     "how tasks in PyTorch are judged: by our rules, or as a benchmark does",
     Group::kRules, kConstant, &Settings::protocol},
    {"eval_config", "FILE",
     "FlashInfer-Bench's configuration of its protocol, in YAML", Group::kRules,
     kConstant, &Settings::eval_config},
    {"precision", "float32|float16|bfloat16", "of problems of KernelBench",
     Group::kRules, kConstant, &Settings::precision},
    {"delegation", "any|no_vendor_op|own_kernels",
     "what may do the work of a candidate", Group::kDelegation, kConstant,
     &Settings::delegation},
    {"baselines", "BASELINE,...",
     "of torch's to measure: all, none, or of eager, compile, max-autotune",
     Group::kBaselines, kKept, &Settings::baselines},
    {"data_directory", "DIRECTORY", "tasks and prompts", Group::kData,
     kUsersOwn, &Settings::data_directory},
    {"cache_directory", "DIRECTORY", "compiled kernels", Group::kCache,
     kUsersOwn, &Settings::cache_directory},
    {"cache_limit_mb", "N",
     "of compiled kernels; those not used for longest go first", Group::kCache,
     kUsersOwn, &Settings::cache_limit_mb, Between(1, 1e9)},
};

template <class Wanted>
std::vector<std::string_view> NamesOf(const Wanted& wanted) {
  std::vector<std::string_view> names;
  for (const Key& key : kKeys) {
    if (wanted(key)) names.push_back(key.name);
  }
  return names;
}

}  // namespace

std::span<const Key> Keys() { return kKeys; }

std::string_view TitleOf(Group group) {
  switch (group) {
    case Group::kDatabase:
      return "database";
    case Group::kBudget:
    case Group::kStop:
      return "budget";
    case Group::kSearch:
    case Group::kPolicy:
      return "search";
    case Group::kAttempts:
      return "attempts";
    case Group::kModels:
      return "models";
    case Group::kProviders:
      return "providers of models";
    case Group::kMoney:
      return "money";
    case Group::kAssistant:
      return "assistant";
    case Group::kNotices:
      return "notices (also --on done|best|trouble|steered COMMAND)";
    case Group::kPrompts:
      return "prompts";
    case Group::kMemory:
      return "memory of other campaigns";
    case Group::kThreads:
    case Group::kTimeouts:
    case Group::kDevices:
      return "evaluation";
    case Group::kPython:
    case Group::kRules:
    case Group::kDelegation:
    case Group::kBaselines:
      return "tasks in PyTorch";
    case Group::kData:
    case Group::kCache:
      return "files";
  }
  return "";
}

const Key* FindKey(std::string_view name) {
  const auto* found =
      std::find_if(std::begin(kKeys), std::end(kKeys),
                   [&](const Key& k) { return k.name == name; });
  return found == std::end(kKeys) ? nullptr : found;
}

std::vector<std::string_view> AllNames() {
  return NamesOf([](const Key&) { return true; });
}

std::vector<std::string_view> NamesIn(std::initializer_list<Group> groups) {
  return NamesOf([&](const Key& key) {
    return std::ranges::find(groups, key.group) != groups.end();
  });
}

std::vector<std::string_view> NamesWith(Traits any) {
  return NamesOf([&](const Key& key) { return key.Has(any); });
}

std::vector<std::string_view> NamesWithout(Traits any) {
  return NamesOf([&](const Key& key) { return !key.Has(any); });
}

std::vector<std::string> Choices(std::string_view placeholder) {
  std::vector<std::string> choices;
  if (placeholder.find('|') == placeholder.npos) return choices;
  for (std::size_t begin = 0; begin <= placeholder.size();) {
    const std::size_t end =
        std::min(placeholder.find('|', begin), placeholder.size());
    choices.emplace_back(placeholder.substr(begin, end - begin));
    begin = end + 1;
  }
  return choices;
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
