#include "engine/campaign/stop_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "config/settings.h"
#include "engine/campaign/campaign_parts.h"
#include "engine/run/simulated_rig.h"
#include "store/write/campaigns.h"

namespace coppice::engine {
namespace {

using store::Must;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Progress At(double best_speedup, std::int64_t since_gain = 0) {
  Progress progress;
  progress.best_speedup = {best_speedup, Interval{best_speedup, best_speedup}};
  progress.since_gain = since_gain;
  return progress;
}

TEST(StopRulesTest, ATargetIsReachedAndABaselineIsBeaten) {
  EXPECT_EQ(MetRule({.speedup = 2.0}, At(1.99)), std::nullopt);
  EXPECT_EQ(MetRule({.speedup = 2.0}, At(2.0)),
            "its best kernel is at least 2 times as fast as the root: "
            "--stop-at-speedup "
            "2");
  const StopRules eager = {.baseline = {{"eager", {3.0, Interval{2.7, 3.3}}}}};
  EXPECT_EQ(MetRule(eager, At(3.2)), std::nullopt);
  EXPECT_EQ(MetRule(eager, At(3.5)),
            "its best kernel is at least 3.5 times as fast as the root: "
            "--stop-at-baseline eager, which is 3 times as fast");
}

TEST(StopRulesTest, WithoutAnIntervalNothingIsReached) {
  Progress progress = At(9.0);
  progress.best_speedup.interval.reset();
  EXPECT_EQ(MetRule({.speedup = 2.0}, progress), std::nullopt);
  EXPECT_EQ(
      MetRule({.baseline = {{"eager", {3.0, Interval{3.0, 3.0}}}}}, progress),
      std::nullopt);
}

TEST(StopRulesTest, AttemptsWithoutAGainAreCountedInARow) {
  EXPECT_EQ(MetRule({.without_gain = 4}, At(9.0, 3)), std::nullopt);
  EXPECT_EQ(MetRule({.without_gain = 4}, At(1.0, 4)),
            "4 attempts in a row without a faster kernel: --stop-without-gain "
            "4");
  EXPECT_EQ(MetRule({}, At(9.0, 99)), std::nullopt);
}

TEST(StopRulesTest, WhoHasNoFurtherIdeaSaysWhatIsNeeded) {
  Progress progress = At(1.0);
  EXPECT_EQ(MetRule({}, progress), std::nullopt);
  progress.nothing_left = true;
  EXPECT_EQ(MetRule({}, progress),
            "the catalogue has no further idea for this kernel; this needs a "
            "model: --code-model PROVIDER:MODEL");
}

TEST(StopRulesTest, OnlyBaselinesThatThereAreAreTaken) {
  EXPECT_EQ(Must(StoredBaseline("expert")), "expert");
  EXPECT_EQ(StoredBaseline("cublas").error().what,
            "--stop-at-baseline cublas: expected expert, eager, compile, "
            "max-autotune");
}

TEST(StopRulesTest, ABaselineThatNothingMeasuresIsRefusedBeforehand) {
  config::Settings settings;
  Task task;
  task.definition.name = "t";
  settings.stop_at_baseline = "expert";
  EXPECT_EQ(CheckRules(settings, task).error().what,
            "--stop-at-baseline expert: t comes with no expert");
  settings.stop_at_baseline = "eager";
  EXPECT_EQ(CheckRules(settings, task).error().what,
            "--stop-at-baseline eager: is not measured unless by --baselines "
            "eager");
  settings.baselines = "eager,compile";
  EXPECT_TRUE(CheckRules(settings, task));
}

class StoppedTest : public ::testing::Test {
 protected:
  Ending Run(StopRules rules) {
    const auto database = rig_.Connect();
    CampaignParts parts = rig_.PartsFor(*database);
    parts.stop = std::move(rules);
    Campaign campaign(parts, rig_.Row(), rig_.OptionsFor(1));
    Silent silent;
    const Ending ending = Must(campaign.Run(silent));
    rule_ = campaign.rule_met();
    attempts_ = campaign.progress().attempts;
    return ending;
  }

  SimulatedRig rig_{60};
  std::string rule_;
  std::int64_t attempts_ = 0;
};

TEST_F(StoppedTest, ACampaignEndsByItsRuleAndAnEventTells) {
  EXPECT_EQ(Run({.speedup = 1.05}), Ending::kRuleMet);
  EXPECT_THAT(rule_, HasSubstr("--stop-at-speedup 1.05"));
  EXPECT_LT(attempts_, 60);
  EXPECT_EQ(rig_.Row().state, store::CampaignState::kFinished);
  EXPECT_THAT(rig_.Rows("SELECT detail FROM event WHERE kind = 'stopped'"),
              ElementsAre(rule_));
  // The last attempt is the first that reached it.
  EXPECT_THAT(
      rig_.Rows(
          "SELECT count(*) FROM nodes WHERE speedup_low >= 1.05 AND node > 0"),
      ElementsAre("1"));
  EXPECT_TRUE(rig_.Findings().empty());
}

TEST_F(StoppedTest, ItDoesNotGoOnPastItsRuleButByAnother) {
  Run({.without_gain = 3});
  const std::int64_t before = attempts_;
  EXPECT_LT(before, 60);
  EXPECT_EQ(Run({.without_gain = 3}), Ending::kRuleMet);
  EXPECT_EQ(attempts_, before);
  Run({.without_gain = 4});
  EXPECT_GT(attempts_, before);
  EXPECT_EQ(Run({}), Ending::kBudgetSpent);
  EXPECT_EQ(attempts_, 60);
}

}  // namespace
}  // namespace coppice::engine
