#include "store/write/baselines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/care/maintenance.h"
#include "store/read/history.h"
#include "store/records/evaluation.h"
#include "store/records/tier.h"
#include "store/scratch.h"
#include "store/write/nodes.h"

namespace coppice::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Roots take 4 s; node 1 of campaign "a" takes 2 s.
class BaselinesTest : public ::testing::Test {
 protected:
  BaselinesTest() { Grow(database_, a_, kRootNode, {.runtime_s = 2.0}); }

  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  CampaignId a_ = Plant(database_, "a");
  CampaignId b_ = Plant(database_, "b");
};

TEST_F(BaselinesTest, TheLatestEvaluationCounts) {
  EXPECT_FALSE(
      Must(ReadBaselineEvaluation(database_, a_, kExpertBaseline)).has_value());
  Must(AddBaselineEvaluation(database_, a_, kExpertBaseline,
                             EvaluationOf(Verdict::kInconclusive, {}), 2000.0));
  Must(AddBaselineEvaluation(database_, a_, kExpertBaseline,
                             EvaluationOf(Verdict::kPassed, 0.5), 2001.0));
  const auto read =
      Must(ReadBaselineEvaluation(database_, a_, kExpertBaseline));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->verdict, Verdict::kPassed);
  EXPECT_EQ(read->runtime_s, 0.5);
  EXPECT_THAT(read->workloads[0].samples_s, ElementsAre(0.5));
  EXPECT_FALSE(
      Must(ReadBaselineEvaluation(database_, b_, kExpertBaseline)).has_value());
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
}

TEST_F(BaselinesTest, AnExpertIsNoNode) {
  const auto leaders = Rows(database_, "SELECT node FROM leaderboard");
  Evaluation evaluation = EvaluationOf(Verdict::kPassed, 0.5);
  evaluation.tier = Tier::kFull;
  Must(AddBaselineEvaluation(database_, a_, kExpertBaseline, evaluation,
                             2000.0));
  EXPECT_EQ(Rows(database_, "SELECT node FROM leaderboard"), leaders);
  EXPECT_THAT(Must(ReadEvaluations(database_, a_, kRootNode)),
              testing::SizeIs(1));
  EXPECT_THAT(Rows(database_,
                   "SELECT nodes FROM campaigns"
                   " WHERE campaign = 'a'"),
              ElementsAre("2"));
  EXPECT_THAT(Rows(database_,
                   "SELECT kind, subject, detail FROM event"
                   " WHERE at_s = 2000"),
              ElementsAre("evaluated|-|expert"));
  EXPECT_THAT(Rows(database_,
                   "SELECT ordinal, further, tier, verdict, speedup"
                   " FROM evaluations WHERE campaign = 'a' AND node IS NULL"),
              ElementsAre("0|-|full|passed|8"));
}

// 2 s of a node's judgement; the expert's is no part of the campaign.
TEST_F(BaselinesTest, AnExpertKeepsNoDeviceOfTheCampaignBusy) {
  Evaluation evaluation = EvaluationOf(Verdict::kPassed, 0.5);
  evaluation.device = "GPU-1";
  evaluation.compile_s = 0.5;
  evaluation.check_s = 0.5;
  evaluation.timing_s = 1.0;
  Must(Nodes(database_).AddEvaluation(a_, NodeId{1}, evaluation, 1999.0));
  Must(AddBaselineEvaluation(database_, a_, kExpertBaseline, evaluation,
                             2000.0));
  EXPECT_THAT(Rows(database_,
                   "SELECT campaign, device, evaluations, busy_s"
                   " FROM device_times"),
              ElementsAre("a|GPU-1|1|2"));
}

// It is 8 times as fast as the root, the best node twice; measured again, that
// is 32 times as fast, pooled 8 times.
TEST_F(BaselinesTest, TheViewComparesItWithTheBest) {
  EXPECT_THAT(Rows(database_, "SELECT * FROM baselines"), IsEmpty());
  Must(AddBaselineEvaluation(database_, a_, kExpertBaseline,
                             EvaluationOf(Verdict::kPassed, 0.5), 2000.0));
  Must(AddBaselineEvaluation(database_, b_, kExpertBaseline,
                             EvaluationOf(Verdict::kCrashed, {}), 2000.0));
  const char* compared =
      "SELECT campaign, verdict, speedup, best_node, best_speedup,"
      " best_over_baseline FROM baselines ORDER BY campaign";
  EXPECT_THAT(Rows(database_, compared),
              ElementsAre("a|passed|8|1|2|0.25", "b|crashed|-|0|1|-"));
  Evaluation confirmed = EvaluationOf(Verdict::kPassed, 0.125);
  confirmed.tier = Tier::kFull;
  Must(Nodes(database_).AddEvaluation(a_, NodeId{1}, confirmed, 2001.0));
  EXPECT_THAT(Rows(database_, compared),
              ElementsAre("a|passed|8|1|8|1", "b|crashed|-|0|1|-"));
}

// ln(1.2) and ln(1.1), as half widths, are one of 0.2057 together: 3 / 2 is
// told from 1, and 2.2 / 2 is not.
TEST_F(BaselinesTest, TheRatioHasAnInterval) {
  Evaluation expert = EvaluationOf(Verdict::kPassed, 2.0);
  expert.speedup = Speedup{2.0, Interval{2.0 / 1.1, 2.0 * 1.1}};
  Must(AddBaselineEvaluation(database_, b_, kExpertBaseline, expert, 2000.0));
  for (const double ratio : {2.2, 3.0}) {
    const NodeId made =
        Grow(database_, b_, kRootNode,
             {.source = "k" + std::to_string(ratio), .runtime_s = 4.0 / ratio});
    Damage(directory_.File("x.db"),
           "UPDATE node SET speedup_low = speedup / 1.2,"
           " speedup_high = speedup * 1.2 WHERE number = " +
               std::to_string(Index(made)));
    const auto baselines = Must(ReadBaselines(database_, b_));
    ASSERT_EQ(baselines.size(), 1u);
    const Baseline& one = baselines[0];
    EXPECT_EQ(one.name, "expert");
    EXPECT_FALSE(one.quoted);
    EXPECT_EQ(one.speedup->ratio, 2.0);
    EXPECT_DOUBLE_EQ(one.best_over->ratio, ratio / 2.0);
    EXPECT_NEAR(one.best_over->interval->low, ratio / 2.0 / 1.2284, 1e-4);
    EXPECT_NEAR(one.best_over->interval->high, ratio / 2.0 * 1.2284, 1e-4);
    EXPECT_EQ(one.decided, ratio == 3.0);
    EXPECT_EQ(one.decided, one.best_over->Sign() != 0);
  }
}

// Both campaigns are on one task; EvaluationOf says where it was made.
TEST_F(BaselinesTest, WhatAnotherCampaignMeasuredHereIsTaken) {
  const Evaluation made = EvaluationOf(Verdict::kPassed, 0.5);
  const auto adopted = [&](CampaignId campaign, const Environment& here) {
    return Must(
        AdoptBaselineEvaluation(database_, campaign, "torch", here, 3000.0));
  };
  EXPECT_FALSE(adopted(b_, made.environment));
  Must(AddBaselineEvaluation(database_, a_, "torch", made, 2000.0));
  ASSERT_TRUE(adopted(b_, made.environment));
  EXPECT_TRUE(adopted(b_, made.environment));
  EXPECT_TRUE(adopted(a_, made.environment));
  EXPECT_THAT(Rows(database_,
                   "SELECT campaign, ordinal, runtime_s, evaluated_at_s"
                   " FROM evaluations WHERE baseline = 'torch'"
                   " ORDER BY campaign"),
              ElementsAre("a|0|0.5|2000", "b|0|0.5|2000"));
  EXPECT_FALSE(Must(AdoptBaselineEvaluation(database_, b_, "torch_compile",
                                            made.environment, 3000.0)));
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
}

TEST_F(BaselinesTest, WhatWasMeasuredElsewhereIsNotTaken) {
  Evaluation made = EvaluationOf(Verdict::kPassed, 0.5);
  Must(AddBaselineEvaluation(database_, a_, "torch", made, 2000.0));
  const Environment here = made.environment;
  made.environment.libraries = {{"torch", "another"}};
  EXPECT_FALSE(Must(AdoptBaselineEvaluation(database_, b_, "torch",
                                            made.environment, 3000.0)));
  // Back from elsewhere, the first measurement counts again.
  Must(AddBaselineEvaluation(database_, a_, "torch", made, 2001.0));
  EXPECT_TRUE(
      Must(AdoptBaselineEvaluation(database_, a_, "torch", here, 3000.0)));
  EXPECT_EQ(Must(ReadBaselineEvaluation(database_, a_, "torch"))->environment,
            here);
}

TEST_F(BaselinesTest, WhatToldNothingIsNotTaken) {
  const Evaluation made = EvaluationOf(Verdict::kTimedOut, {});
  Must(AddBaselineEvaluation(database_, a_, "torch", made, 2000.0));
  EXPECT_FALSE(Must(AdoptBaselineEvaluation(database_, a_, "torch",
                                            made.environment, 3000.0)));
}

}  // namespace
}  // namespace coppice::store
