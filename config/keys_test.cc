#include "config/keys.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/presets.h"

namespace coppice::config {
namespace {

// The error of assigning `text`, or what Print then shows.
std::string After(std::string_view key, std::string_view text) {
  Settings settings;
  const auto done = Assign(*FindKey(key), text, settings);
  return done ? Print(*FindKey(key), settings) : done.error().what;
}

TEST(KeysTest, EveryDefaultReadsBackAsItself) {
  Settings defaults;
  defaults.data_directory = "data";
  defaults.cache_directory = "cache";
  for (const Key& key : Keys()) {
    const std::string text = Print(key, defaults);
    EXPECT_EQ(After(key.name, text), text) << key.name;
  }
}

TEST(KeysTest, DevicesAreAWordOrAList) {
  for (const char* good :
       {"auto", "cpu", "all", "0", "2,0", "GPU-1a2b,1,GPU-3c4d-5e6f"}) {
    EXPECT_EQ(After("devices", good), good);
  }
  for (const char* bad :
       {"cuda:1", "0,", ",0", "0,,1", "0 1", "all,0", "GPU-", "-1", "gpu"}) {
    EXPECT_EQ(After("devices", bad),
              "expected auto, cpu, all, or numbers and UUIDs as in 0,2 or "
              "GPU-1a2b3c4d")
        << bad;
  }
}

TEST(KeysTest, NamesAreUniqueAndHaveHelp) {
  std::set<std::string_view> names;
  for (const Key& key : Keys()) {
    EXPECT_TRUE(names.insert(key.name).second) << key.name;
    EXPECT_FALSE(key.help.empty()) << key.name;
    EXPECT_FALSE(key.placeholder.empty()) << key.name;
  }
}

using Names = std::vector<std::string_view>;

TEST(KeysTest, VerbsAskForKeysByGroup) {
  EXPECT_EQ(
      NamesIn({Group::kPrompts, Group::kDatabase}),
      (Names{"db", "window_history", "window_cap", "window_leaders",
             "window_leaders_rule", "grounding", "system_message", "prompts"}));
  std::size_t in_groups = 0;
  for (const Key& key : Keys()) {
    in_groups += NamesIn({key.group}).front() == key.name
                     ? NamesIn({key.group}).size()
                     : 0;
    EXPECT_FALSE(TitleOf(key.group).empty()) << key.name;
  }
  EXPECT_EQ(in_groups, Keys().size()) << "a group's rows are not together";
  EXPECT_EQ(AllNames().size(), Keys().size());
}

TEST(KeysTest, VerbsAskForKeysByTrait) {
  EXPECT_EQ(NamesWith(kConstant),
            (Names{"preset", "agents", "seed", "memory", "memory_same_task",
                   "protocol", "eval_config", "precision", "delegation"}));
  EXPECT_EQ(NamesWith(kVaried),
            (Names{"budget", "budget_s", "budget_evaluator_s",
                   "stop_at_speedup", "stop_at_baseline", "stop_without_gain",
                   "policy", "policy_changed", "parallel", "prompts"}));
  EXPECT_EQ(NamesWithout(kVaried).size() + 10, Keys().size());
}

// One that were not kept would be forgotten when its campaign goes on.
TEST(KeysTest, ACampaignKeepsWhatItsAgentsAreAndMayCost) {
  for (const Key& key : Keys()) {
    const bool is_of_agents =
        key.group == Group::kModels || key.group == Group::kProviders ||
        key.group == Group::kMoney || key.group == Group::kPrompts ||
        key.group == Group::kStop;
    const bool is_further = key.name == "agents" || key.name == "baselines" ||
                            key.name == "budget_evaluator_s" ||
                            key.name == "tuning_trials";
    EXPECT_EQ(key.Has(kKept), is_of_agents || is_further) << key.name;
  }
}

// A key's class is said here once, so that a new one is thought about.  What
// is plainly a number or a word can do no more harm than a bad search.
TEST(KeysTest, NoSettingThatRunsSendsOrWritesIsPlain) {
  const std::set<std::string_view> users_own = {"record",
                                                "models_file",
                                                "openai_base_url",
                                                "openai_api_key_env",
                                                "openai_key_command",
                                                "anthropic_base_url",
                                                "remember",
                                                "anthropic_api_key_env",
                                                "anthropic_key_command",
                                                "data_directory",
                                                "cache_directory",
                                                "cache_limit_mb"};
  const std::set<std::string_view> of_user_alone = {
      "assistant_model", "assistant_usd_day", "on_done",
      "on_best",         "on_trouble",        "on_steered"};
  // By their values: programs, and files outside a folder (load_test.cc).
  const std::set<std::string_view> by_value = {
      "db",          "policy", "policy_python", "plan_model", "code_model",
      "debug_model", "memory", "prompts",       "python",     "eval_config"};
  const std::set<std::string_view> harmless = {"budget",
                                               "budget_s",
                                               "budget_evaluator_s",
                                               "tuning_trials",
                                               "stop_at_speedup",
                                               "stop_at_baseline",
                                               "stop_without_gain",
                                               "preset",
                                               "agents",
                                               "seed",
                                               "policy_timeout_s",
                                               "policy_check",
                                               "policy_changed",
                                               "parallel",
                                               "lease_s",
                                               "model_choice",
                                               "plan_temperature",
                                               "code_temperature",
                                               "debug_temperature",
                                               "plan_effort",
                                               "code_effort",
                                               "debug_effort",
                                               "max_output_tokens",
                                               "answers",
                                               "model_timeout_s",
                                               "model_retries",
                                               "model_failures",
                                               "session_usd",
                                               "session_calls",
                                               "session_s",
                                               "cap_usd",
                                               "cap_tokens",
                                               "plan_cap_usd",
                                               "plan_cap_tokens",
                                               "code_cap_usd",
                                               "code_cap_tokens",
                                               "debug_cap_usd",
                                               "debug_cap_tokens",
                                               "day_cap_usd",
                                               "day_cap_tokens",
                                               "settle_after_s",
                                               "window_history",
                                               "window_cap",
                                               "window_leaders",
                                               "window_leaders_rule",
                                               "grounding",
                                               "system_message",
                                               "memory_same_task",
                                               "threads",
                                               "compile_timeout_s",
                                               "call_timeout_s",
                                               "quiet_wait_s",
                                               "devices",
                                               "protocol",
                                               "precision",
                                               "delegation",
                                               "baselines"};
  for (const Key& key : Keys()) {
    EXPECT_EQ(users_own.contains(key.name) + of_user_alone.contains(key.name) +
                  by_value.contains(key.name) + harmless.contains(key.name),
              1)
        << key.name << " is in no class, or in two";
    EXPECT_EQ(key.Has(kUsersOwn), users_own.contains(key.name)) << key.name;
    EXPECT_EQ(key.Has(kOfUserAlone), of_user_alone.contains(key.name))
        << key.name;
  }
}

TEST(KeysTest, APlaceholderMayNameTheChoices) {
  EXPECT_EQ(Choices("auto|text"), (std::vector<std::string>{"auto", "text"}));
  EXPECT_TRUE(Choices("SECONDS").empty());
  EXPECT_TRUE(Choices("").empty());
}

TEST(KeysTest, OneNameServesFileEnvironmentAndOption) {
  EXPECT_EQ(EnvironmentName("budget_s"), "COPPICE_BUDGET_S");
  EXPECT_EQ(OptionName("budget_s"), "budget-s");
  EXPECT_EQ(FindKey("budget-s"), nullptr);
}

TEST(AssignTest, TakesTheWholeRangeOfASeed) {
  EXPECT_EQ(After("seed", "18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(After("seed", "18446744073709551616"),
            "expected a whole number from 0 to 18446744073709551615");
}

TEST(AssignTest, SaysWhatItExpected) {
  EXPECT_EQ(After("budget", "many"), "expected a whole number from 0 to 1e+15");
  EXPECT_EQ(After("budget", "-1"), "expected a whole number from 0 to 1e+15");
  EXPECT_EQ(After("budget", "3.5"), "expected a whole number from 0 to 1e+15");
  EXPECT_EQ(After("budget", ""), "expected a whole number from 0 to 1e+15");
  EXPECT_EQ(After("lease_s", "0.5"), "expected a number from 1 to 1e+09");
  EXPECT_EQ(After("plan_temperature", "nan"),
            "expected none or a number from 0 to 2");
  EXPECT_EQ(After("policy", ""), "expected a value");
}

TEST(AssignTest, AKeyIsNoCommandThatPrintsIt) {
  EXPECT_EQ(After("openai_key_command", "pass show openai"),
            "pass show openai");
  EXPECT_EQ(After("anthropic_key_command", "none"), "none");
  EXPECT_EQ(After("openai_key_command", "echo sk-secret"),
            "expected a command that prints the key, not the key itself");
}

TEST(AssignTest, NamesTheChoicesWhereThereAreFew) {
  EXPECT_EQ(After("answers", "text"), "text");
  EXPECT_EQ(After("answers", "xml"), "expected auto or text");
  EXPECT_EQ(After("agents", ""), "expected team or alone");
  EXPECT_EQ(After("delegation", "none"),
            "expected any, no_vendor_op or own_kernels");
  EXPECT_EQ(After("precision", "bfloat16"), "bfloat16");
  EXPECT_EQ(After("precision", "fp16"),
            "expected float32, float16 or bfloat16");
  for (const char* bad : {"", "torch"}) {
    EXPECT_EQ(After("protocol", bad),
              "expected coppice, kernelbench or flashinfer-bench");
  }
  EXPECT_EQ(After("protocol", "flashinferbench"),
            "expected coppice, kernelbench or flashinfer-bench; did you mean "
            "'flashinfer-bench'?");
}

TEST(AssignTest, NoneUnsetsWhatMayBeUnset) {
  EXPECT_EQ(After("budget_s", "90.5"), "90.5");
  EXPECT_EQ(After("budget_s", "none"), "none");
  EXPECT_EQ(After("lease_s", "none"), "expected a number from 1 to 1e+09");
}

TEST(AssignTest, ReadsModelsWithCommasBetween) {
  EXPECT_EQ(After("plan_model", "catalogue"), "catalogue");
  EXPECT_EQ(After("code_model", "openai:a,openai:b"), "openai:a,openai:b");
  EXPECT_EQ(After("plan_model", "openai:"),
            "expected PROVIDER or PROVIDER:MODEL");
}

TEST(AssignTest, NeverRepeatsAKeyPutInTheWrongPlace) {
  const std::string key = After("openai_api_key_env", "sk-secret");
  EXPECT_EQ(key.find("secret"), std::string::npos) << key;
  EXPECT_NE(key.find("expected the NAME"), std::string::npos) << key;
  const std::string url = After("openai_base_url", "https://me:secret@host/v1");
  EXPECT_EQ(url, "expected a URL without a user or password");
  EXPECT_EQ(After("openai_base_url", "host/v1"),
            "expected a URL, http:// or https://");
  for (const char* hostless : {"http://", "http:///v1", "https://:80/v1"}) {
    EXPECT_EQ(After("openai_base_url", hostless), "expected a URL with a host");
  }
}

TEST(AssignTest, ABadValueLeavesTheOldOne) {
  Settings settings;
  ASSERT_FALSE(Assign(*FindKey("threads"), "0", settings));
  ASSERT_FALSE(Assign(*FindKey("plan_model"), "", settings));
  EXPECT_EQ(settings.threads, 1);
  EXPECT_EQ(settings.plan_model.front().provider, "catalogue");
}

// Help is a line of constants: it cannot ask the table of presets.
TEST(KeysTest, TheHelpOfThePresetNamesThemAll) {
  std::string names;
  for (const Preset& preset : Presets()) {
    const bool is_last = &preset == &Presets().back();
    if (!names.empty()) names += is_last ? " or " : ", ";
    names += preset.name;
  }
  EXPECT_EQ(FindKey("preset")->help, "several settings at once: " + names);
}

}  // namespace
}  // namespace coppice::config
