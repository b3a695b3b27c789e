#include "config/continue.h"

#include <gtest/gtest.h>

namespace coppice::config {
namespace {

const std::vector<Override> kThen = {{"agents", "alone"},
                                     {"code_temperature", "0.7"},
                                     {"plan_model", "openai:big"},
                                     {"seed", "9"},
                                     {"cap_usd", "5"},
                                     {"budget_evaluator_s", "60"},
                                     {"of_a_later_version", "x"}};

Loaded Now(const std::vector<Override>& command_line) {
  Surroundings surroundings;
  surroundings.environment["XDG_CONFIG_HOME"] = "/nonexistent";
  return Load(surroundings, std::nullopt, command_line).value();
}

TEST(ContinueTest, WhatIsNotSaidAgainStaysAsItWas) {
  const Settings settings = Continue(Now({}), kThen).value();
  EXPECT_EQ(settings.agents, Agents::kAlone);
  EXPECT_EQ(settings.code_temperature, 0.7);
  EXPECT_EQ(settings.plan_model, (ModelChoice{"openai", "big"}));
  EXPECT_EQ(settings.debug_temperature, 0.1);
  EXPECT_EQ(settings.cap_usd, 5.0);
  EXPECT_EQ(settings.budget_evaluator_s, 60.0);
}

TEST(ContinueTest, WhatIsSaidNowCounts) {
  const Settings settings =
      Continue(Now({{"plan_model", "catalogue"}}), kThen).value();
  EXPECT_EQ(settings.plan_model, (ModelChoice{"catalogue", ""}));
}

TEST(ContinueTest, ATeamStaysATeamAndOtherSettingsAreNotTheCampaigns) {
  const Settings settings = Continue(Now({{"preset", "stark"}}), kThen).value();
  EXPECT_EQ(settings.agents, Agents::kAlone);
  EXPECT_EQ(settings.code_temperature, 0.1);
  EXPECT_EQ(settings.seed, 1u);
}

// A resume must find the provider, with the key's name and not another's key.
TEST(ContinueTest, HowAProviderIsReachedStaysAsItWas) {
  const std::vector<Override> then = {
      {"openai_base_url", "http://127.0.0.1:1/v1"},
      {"openai_key_command", "pass show openai"},
      {"anthropic_base_url", "http://127.0.0.1:2"},
      {"anthropic_api_key_env", "OUR_KEY"},
      {"anthropic_key_command", "none"},
      {"model_timeout_s", "3600"},
      {"model_retries", "9"},
      {"models_file", "ours.json"},
      {"answers", "text"},
      {"record", "cassette.jsonl"},
      {"parallel", "8"}};
  const Settings settings =
      Continue(Now({{"model_retries", "2"}}), then).value();
  EXPECT_EQ(settings.openai_base_url, "http://127.0.0.1:1/v1");
  EXPECT_EQ(settings.openai_key_command, "pass show openai");
  EXPECT_EQ(settings.anthropic_base_url, "http://127.0.0.1:2");
  EXPECT_EQ(settings.anthropic_api_key_env, "OUR_KEY");
  EXPECT_EQ(settings.anthropic_key_command, std::nullopt);
  EXPECT_EQ(settings.model_timeout_s, 3600);
  EXPECT_EQ(settings.model_retries, 2);  // Said again.
  EXPECT_EQ(settings.models_file, "ours.json");
  EXPECT_EQ(settings.answers, "text");
  EXPECT_EQ(settings.record, "cassette.jsonl");
  EXPECT_EQ(settings.parallel, 1);  // The machine's, not the campaign's.
}

TEST(ContinueTest, AStoredValueThatIsNoneIsNamed) {
  const auto settings = Continue(Now({}), {{"agents", "herd"}});
  EXPECT_EQ(settings.error().code, Errc::kCorrupt);
  EXPECT_EQ(settings.error().what,
            "stored setting agents: expected team or alone");
}

}  // namespace
}  // namespace coppice::config
