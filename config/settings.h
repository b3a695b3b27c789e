// Every setting of coppice, typed, with its default.
//
// A setting is one member here and one row of the table in keys.cc; help
// texts, `coppice config show`, the parsers and what is stored with a campaign
// all come from that row.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace coppice::config {

// "catalogue", or a provider with its model: "openai:gpt-5-mini".
struct ModelChoice {
  std::string provider;
  std::string model;  // Empty: the provider has but one.
  bool operator==(const ModelChoice&) const = default;
};

// The models of one role, in the order given: one at least, none twice.  Which
// of several an attempt asks is chosen for it (`model_choice`).
using ModelList = std::vector<ModelChoice>;

// What is asked until a model is named.
ModelList TheCatalogue();

// Who does an attempt: plan, code and debug agents, or the code agent in one
// call, which sees no plan.
enum class Agents : std::uint8_t { kTeam, kAlone };

struct Settings {
  std::filesystem::path db = "coppice.db";
  std::filesystem::path data_directory;   // From Surroundings, as are
  std::filesystem::path cache_directory;  // this one

  // Names values of some of those below (config/presets.h); each of them that
  // is given as well, at the same place or a later one, wins.
  std::string preset = "xei";
  std::string policy = "xei_hint";
  std::string policy_python = "python3";
  double policy_timeout_s = 10.0;
  std::string policy_check = "some";
  std::string policy_changed = "no";
  Agents agents = Agents::kTeam;
  std::uint64_t seed = 1;
  std::int64_t budget_attempts = 30;  // Key "budget".
  std::optional<double> budget_s;
  // Seconds of compiling, checking and timing attempts, whatever ran meanwhile.
  std::optional<double> budget_evaluator_s;
  // Configurations of a candidate with open numbers that are tried beside its
  // author's.
  std::int64_t tuning_trials = 8;
  std::int64_t threads = 1;   // and this: all cores.
  std::int64_t parallel = 1;  // Attempts at the same time.

  ModelList plan_model = TheCatalogue();
  ModelList code_model = TheCatalogue();
  ModelList debug_model = TheCatalogue();
  std::string model_choice =
      "bandit";  // A rule of search/policies/model_rule.h.
  // STARK, section 4.1: plan hot, code and debug cold.  Unset ("none"): not
  // sent, since some models refuse it.
  std::optional<double> plan_temperature = 0.8;
  std::optional<double> code_temperature = 0.1;
  std::optional<double> debug_temperature = 0.1;
  // How much to reason, where a model takes that instead.  Unset: not sent.
  std::optional<std::string> plan_effort;
  std::optional<std::string> code_effort;
  std::optional<std::string> debug_effort;
  std::int64_t max_output_tokens = 16384;
  double model_timeout_s = 600.0;       // Of one whole call, with its retries.
  std::optional<double> model_retries;  // Unset: as many as there is time for.
  // So many attempts in a row, for each at the same time, may get no answer.
  // Unset: any number, for it may come yet.
  std::optional<double> model_failures;
  // What the agent of a role that works in a session (engine/sessions/) may use
  // in an attempt at most.
  double session_usd = 1.0;
  std::int64_t session_calls = 50;  // Of tools.
  double session_s = 1800.0;
  // Rows of the user's for agents/provider/model_table.h.
  std::optional<std::string> models_file;
  std::string answers = "auto";       // Or "text": never as JSON.
  std::optional<std::string> record;  // A cassette to add answers to.
  std::string openai_base_url = "https://api.openai.com/v1";
  // The name of the variable that holds the key.  The key itself is never a
  // setting: it would be stored and shown.
  std::string openai_api_key_env = "OPENAI_API_KEY";
  std::optional<std::string> openai_key_command;  // Prints it, instead.
  std::string anthropic_base_url = "https://api.anthropic.com";
  std::string anthropic_api_key_env = "ANTHROPIC_API_KEY";
  std::optional<std::string> anthropic_key_command;

  // Caps; none is none.  What calls in flight may use counts as used.
  std::optional<double> cap_usd;       // Of a campaign,
  std::optional<double> plan_cap_usd;  // and of its calls of a role.
  std::optional<double> code_cap_usd;
  std::optional<double> debug_cap_usd;
  std::optional<double> day_cap_usd;  // Of all in the database, by UTC days.
  std::optional<double> cap_tokens;   // Likewise, input and output together.
  std::optional<double> plan_cap_tokens;
  std::optional<double> code_cap_tokens;
  std::optional<double> debug_cap_tokens;
  std::optional<double> day_cap_tokens;
  // A lost call counts as all that it may have used for so long.
  std::optional<double> settle_after_s = 3600.0;

  std::int64_t window_history = 5;  // STARK, appendix B.
  std::int64_t window_leaders = 2;
  std::string window_cap = "others";            // Or "all".
  std::string window_leaders_rule = "outside";  // Or "board".
  std::string grounding = "used";               // Or "required", "off".
  std::string system_message = "own";           // Or "v1", "v2".
  std::string prompts = "v2";  // Their templates: a version, or a folder.

  // Who answers `coppice ask`, one; the catalogue: nobody, but for questions
  // that the database answers by itself.
  ModelList assistant_model = TheCatalogue();
  std::optional<double> assistant_usd_day = 1.0;  // Of the database, UTC.

  // Databases to learn from, "library" among them; "none"
  // (engine/factory/memory.h).
  std::string memory = "none";
  std::string memory_same_task = "no";  // Or "yes".
  std::string remember = "no";          // Or "yes": in the library.
  std::filesystem::path library;        // From Surroundings; no key.

  double compile_timeout_s = 30.0;
  double call_timeout_s = 10.0;
  double quiet_wait_s = 2.0;  // Of a busy time; 0: nothing is waited for.
  // Or "cpu", "all", "0,2", "GPU-1a2b3c4d" (eval/host/devices.h).
  std::string devices = "auto";
  std::int64_t cache_limit_mb = 1024;  // Millions of bytes.
  // For tasks in PyTorch.  Python: unset: one beside the program, or python3.
  std::optional<std::string> python;
  // Or "kernelbench", "flashinfer-bench".
  std::string protocol = "coppice";
  // FlashInfer-Bench's configuration of that protocol.
  std::optional<std::string> eval_config;
  std::string delegation = "any";     // Or "no_vendor_op", "own_kernels".
  std::string precision = "float32";  // Or "float16", "bfloat16".
  std::string baselines = "none";     // Of torch's; "all", "eager,compile".
  // Commands for what happens to a campaign (engine/campaign/notices.h).
  std::optional<std::string> on_done;
  std::optional<std::string> on_best;
  std::optional<std::string> on_trouble;
  std::optional<std::string> on_steered;
  // Rules that end a campaign before its budget does
  // (engine/campaign/stop_rules.h).
  std::optional<double> stop_at_speedup;
  std::optional<std::string> stop_at_baseline;
  std::optional<double> stop_without_gain;
  double lease_s = 60.0;  // How long an attempt outlives its last heartbeat.
};

}  // namespace coppice::config
