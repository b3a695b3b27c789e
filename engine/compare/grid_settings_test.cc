#include "engine/compare/grid_settings.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "config/load.h"
#include "engine/run/grid.h"

namespace coppice::engine {
namespace {

const Cell kCell{"greedy.alone", "t", 4};

config::Loaded Now(const std::vector<config::Override>& command_line) {
  // No file of this machine takes part.
  return config::Load({}, "/dev/null", command_line).value();
}

Grid Of(BudgetKind kind, double amount) {
  return {{"greedy.alone"}, {"t"}, {4}, {kind, amount}};
}

// As a campaign of the cell has them that was made with this command line.
store::CampaignRow Made(const std::vector<config::Override>& command_line) {
  store::CampaignRow row;
  row.spec.name = "compare.t.greedy.alone.s4";
  row.spec.settings =
      SettingsOf(kCell, {BudgetKind::kAttempts, 30.0}, Now(command_line));
  return row;
}

std::string ValueOf(const std::vector<store::CampaignSetting>& settings,
                    const std::string& key) {
  const auto found =
      std::ranges::find(settings, key, &store::CampaignSetting::key);
  return found == settings.end() ? "(none)" : found->value;
}

TEST(GridSettingsTest, ABudgetBecomesTheSettingThatKeepsIt) {
  config::Loaded loaded = Now({{"parallel", "8"}});
  ASSERT_TRUE(Settle(Of(BudgetKind::kAttempts, 40), {}, loaded));
  EXPECT_EQ(loaded.settings.budget_attempts, 40);
  EXPECT_EQ(loaded.settings.parallel, 1);
  EXPECT_FALSE(loaded.settings.cap_tokens);
  ASSERT_TRUE(Settle(Of(BudgetKind::kTokens, 2e6), {}, loaded));
  EXPECT_EQ(loaded.settings.cap_tokens, 2e6);
  EXPECT_EQ(loaded.settings.budget_attempts, kManyAttempts);
  ASSERT_TRUE(Settle(Of(BudgetKind::kDollars, 0.5), {}, loaded));
  EXPECT_EQ(loaded.settings.cap_usd, 0.5);
  ASSERT_TRUE(Settle(Of(BudgetKind::kEvaluatorSeconds, 90), {}, loaded));
  EXPECT_EQ(loaded.settings.budget_evaluator_s, 90.0);
}

// What is said now beats what a campaign has stored (config/continue.h): not of
// that in which contenders differ.
TEST(GridSettingsTest, AContenderHasSettingsOfItsOwn) {
  Grid grid = Of(BudgetKind::kAttempts, 40);
  grid.policies = {"stark", "stark@window_history=0"};
  config::Loaded loaded =
      Now({{"window_history", "3"}, {"plan_temperature", "0.5"}});
  ASSERT_TRUE(Settle(grid, {}, loaded));
  EXPECT_FALSE(config::IsGiven(loaded, "window_history"));
  EXPECT_TRUE(config::IsGiven(loaded, "plan_temperature"));
  const auto of = [&](const std::string& policy) {
    return SettingsOf({policy, "t", 4}, grid.budget, loaded);
  };
  EXPECT_EQ(ValueOf(of("stark"), "window_history"), "3");
  EXPECT_EQ(ValueOf(of("stark@window_history=0"), "window_history"), "0");
  EXPECT_EQ(ValueOf(of("stark@window_history=0"), "policy"), "stark");
  EXPECT_EQ(ValueOf(of("stark@window_history=0"), "plan_temperature"), "0.5");
  // What others of the file have that are no such contenders is taken.
  store::CampaignRow varied;
  varied.spec.name = "v";
  varied.spec.settings = of("stark@window_history=0");
  store::CampaignRow plain;
  plain.spec.name = "p";
  plain.spec.settings = of("stark");
  config::Loaded later = Now({});
  ASSERT_TRUE(Settle(grid, {varied, plain}, later));
  EXPECT_EQ(later.settings.window_history, 3);
}

TEST(GridSettingsTest, NoRuleToStopByMakesBudgetsUnequal) {
  config::Loaded loaded =
      Now({{"stop_at_speedup", "2"}, {"stop_without_gain", "9"}});
  ASSERT_TRUE(Settle(Of(BudgetKind::kAttempts, 40), {}, loaded));
  EXPECT_FALSE(loaded.settings.stop_at_speedup);
  EXPECT_FALSE(loaded.settings.stop_without_gain);
}

// As a file or the environment may say them for campaigns of other use.
TEST(GridSettingsTest, NoOtherLimitMakesBudgetsUnequal) {
  config::Loaded loaded =
      Now({{"budget_s", "60"}, {"budget_evaluator_s", "5"}});
  ASSERT_TRUE(Settle(Of(BudgetKind::kAttempts, 40), {}, loaded));
  EXPECT_FALSE(loaded.settings.budget_s);
  EXPECT_FALSE(loaded.settings.budget_evaluator_s);
  const auto settings = SettingsOf(kCell, {BudgetKind::kAttempts, 40}, loaded);
  EXPECT_EQ(ValueOf(settings, "budget_s"), "none");
  EXPECT_EQ(ValueOf(settings, "budget_evaluator_s"), "none");
  loaded = Now({{"budget_evaluator_s", "5"}});
  ASSERT_TRUE(Settle(Of(BudgetKind::kEvaluatorSeconds, 90), {}, loaded));
  EXPECT_EQ(loaded.settings.budget_evaluator_s, 90.0);
}

TEST(GridSettingsTest, ACellHasItsOwnPolicyAgentsAndSeed) {
  const auto settings =
      SettingsOf(kCell, {BudgetKind::kDollars, 0.5}, Now({{"seed", "9"}}));
  EXPECT_EQ(ValueOf(settings, "policy"), "greedy");
  EXPECT_EQ(ValueOf(settings, "agents"), "alone");
  EXPECT_EQ(ValueOf(settings, "seed"), "4");
  EXPECT_EQ(ValueOf(settings, "compare_policy"), "greedy.alone");
  EXPECT_EQ(ValueOf(settings, "compare_budget"), "0.5");
}

TEST(GridSettingsTest, WhatIsNotSaidAgainIsAsTheCampaignsHaveIt) {
  config::Loaded loaded = Now({});
  ASSERT_TRUE(Settle(Of(BudgetKind::kAttempts, 30),
                     {Made({{"plan_temperature", "1.2"}})}, loaded));
  EXPECT_EQ(loaded.settings.plan_temperature, 1.2);
  EXPECT_EQ(loaded.settings.seed, 1u);
}

TEST(GridSettingsTest, SayingTheSameAgainIsFine) {
  config::Loaded loaded = Now({{"plan_temperature", "1.2"}});
  EXPECT_TRUE(Settle(Of(BudgetKind::kAttempts, 30),
                     {Made({{"plan_temperature", "1.2"}})}, loaded));
}

TEST(GridSettingsTest, SayingSomethingElseIsRefused) {
  config::Loaded loaded = Now({{"plan_temperature", "1.3"}});
  const auto settled = Settle(Of(BudgetKind::kAttempts, 30),
                              {Made({{"plan_temperature", "1.2"}})}, loaded);
  ASSERT_FALSE(settled);
  EXPECT_EQ(settled.error().code, Errc::kUsage);
  EXPECT_EQ(settled.error().what,
            "plan-temperature: compare.t.greedy.alone.s4 was made with 1.2, "
            "not 1.3; compare that in another database");
}

TEST(GridSettingsTest, ACommandOfTheDatabaseIsToBeSaidAgain) {
  const std::vector<config::Override> said = {{"code_model", "exec:sh a"}};
  config::Loaded loaded = Now({});
  const auto settled =
      Settle(Of(BudgetKind::kAttempts, 30), {Made(said)}, loaded);
  ASSERT_FALSE(settled);
  EXPECT_EQ(settled.error().code, Errc::kUsage);
  EXPECT_EQ(settled.error().what,
            "compare.t.greedy.alone.s4: was started with code_model 'exec:sh "
            "a', which a database may not decide: give --code-model again to "
            "go on");
  EXPECT_EQ(loaded.settings.code_model.front().provider, "catalogue");
  loaded = Now(said);
  EXPECT_TRUE(Settle(Of(BudgetKind::kAttempts, 30), {Made(said)}, loaded));
}

TEST(GridSettingsTest, CampaignsOfAnotherKindAreNotAsked) {
  config::Loaded loaded = Now({});
  ASSERT_TRUE(Settle(Of(BudgetKind::kDollars, 1),
                     {Made({{"plan_temperature", "1.2"}})}, loaded));
  EXPECT_EQ(loaded.settings.plan_temperature, 0.8);
}

}  // namespace
}  // namespace coppice::engine
