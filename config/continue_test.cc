#include "config/continue.h"

#include <gtest/gtest.h>

namespace coppice::config {
namespace {

const std::vector<Override> kThen = {{"agents", "alone"},
                                     {"code_temperature", "0.7"},
                                     {"plan_model", "openai:big"},
                                     {"seed", "9"},
                                     {"cap_usd", "5"},
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

TEST(ContinueTest, AStoredValueThatIsNoneIsNamed) {
  const auto settings = Continue(Now({}), {{"agents", "herd"}});
  EXPECT_EQ(settings.error().code, Errc::kCorrupt);
  EXPECT_EQ(settings.error().what,
            "stored setting agents: expected team or alone");
}

}  // namespace
}  // namespace coppice::config
