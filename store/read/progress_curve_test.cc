#include "store/read/progress_curve.h"

#include <gtest/gtest.h>

#include "store/care/maintenance.h"
#include "store/records/evaluation.h"
#include "store/records/tier.h"
#include "store/scratch.h"

namespace coppice::store {
namespace {

class ProgressCurveTest : public ::testing::Test {
 protected:
  void Evaluate(NodeId node, Verdict verdict, std::optional<double> runtime_s) {
    Evaluation evaluation = EvaluationOf(verdict, runtime_s);
    evaluation.tier = Tier::kFull;
    Must(Nodes(database_).AddEvaluation(campaign_, node, evaluation, 2000.0));
  }

  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  CampaignId beside_ = PlantBeside(database_);
  CampaignId campaign_ = Plant(database_, "a");  // Its root takes 4 s.
};

TEST_F(ProgressCurveTest, StepsComeByNumberWithTheirSpeedups) {
  Grow(database_, campaign_, kRootNode, {.source = "s1", .runtime_s = 2.0});
  Grow(database_, campaign_, kRootNode,
       {.source = "s2", .verdict = Verdict::kCrashed});
  const auto steps = Must(ReadProgressCurve(database_, campaign_));
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[0].speedup->ratio, 1.0);
  EXPECT_EQ(steps[1].speedup->ratio, 2.0);
  EXPECT_FALSE(steps[1].is_proven);
  EXPECT_EQ(steps[2].verdict, Verdict::kCrashed);
  EXPECT_FALSE(steps[2].speedup.has_value());
}

// Without intervals: the geometric mean of 4, 2 and 1.
TEST_F(ProgressCurveTest, AllEvaluationsThatPassedCount) {
  const NodeId node = Grow(database_, campaign_, kRootNode, {.runtime_s = 1.0});
  Evaluate(node, Verdict::kPassed, 2.0);
  Evaluate(node, Verdict::kPassed, 4.0);
  Evaluate(node, Verdict::kInconclusive, std::nullopt);
  const auto steps = Must(ReadProgressCurve(database_, campaign_));
  EXPECT_DOUBLE_EQ(steps[1].speedup->ratio, 2.0);
  EXPECT_TRUE(steps[1].is_proven);
}

TEST_F(ProgressCurveTest, ARefutedNodeHasNoSpeedup) {
  const NodeId node = Grow(database_, campaign_, kRootNode, {.runtime_s = 1.0});
  Evaluate(node, Verdict::kPassed, 1.0);
  Evaluate(node, Verdict::kWrongOutput, std::nullopt);
  const auto steps = Must(ReadProgressCurve(database_, campaign_));
  EXPECT_EQ(steps[1].verdict, Verdict::kWrongOutput);
  EXPECT_FALSE(steps[1].speedup.has_value());
}

// What Grow's evaluations and answers cost is changed behind the store's back,
// to numbers that tell them apart.
TEST_F(ProgressCurveTest, StepsSayWhatTheirAttemptsCost) {
  const NodeId node = Grow(database_, campaign_, kRootNode, {.runtime_s = 1.0});
  Grow(database_, campaign_, kRootNode, {.source = "s2", .runtime_s = 2.0});
  Evaluate(node, Verdict::kPassed, 1.0);
  Damage(directory_.File("x.db"),
         "UPDATE evaluation SET compile_s = 1 + node_number, check_s = 0.25,"
         " timing_s = 0.5;"
         "UPDATE model_call SET input_tokens = 100, output_tokens = 10,"
         " cost_usd = 0.5");
  const auto steps = Must(ReadProgressCurve(database_, campaign_));
  EXPECT_EQ(steps[0].evaluator_s, 0.0);
  EXPECT_EQ(steps[0].tokens, 0);
  EXPECT_EQ(steps[1].evaluator_s, 2.75);  // Not of the one that came later.
  EXPECT_EQ(steps[2].evaluator_s, 3.75);
  // Each attempt of Grow asks a plan agent and a code agent.
  const std::vector<std::string> calls =
      Rows(database_,
           "SELECT count(*) FROM calls"
           " WHERE campaign = 'a' AND decision = 0");
  const int count = std::stoi(calls.at(0));
  EXPECT_EQ(steps[1].tokens, 110 * count);
  EXPECT_DOUBLE_EQ(steps[1].cost_usd, 0.5 * count);
}

// Neither of the root nor of what was evaluated again.
TEST_F(ProgressCurveTest, TheEvaluatorsSecondsAreThoseOfAllAttempts) {
  const NodeId node =
      Grow(database_, campaign_, kRootNode, {.runtime_s = 1.0, .check_s = 2.0});
  Grow(database_, campaign_, kRootNode,
       {.verdict = Verdict::kCrashed, .check_s = 0.5});
  Evaluation again = EvaluationOf(Verdict::kPassed, 1.0);
  again.check_s = 16.0;
  Must(Nodes(database_).AddEvaluation(campaign_, node, again, 2000.0));
  EXPECT_EQ(Must(ReadEvaluatorSeconds(database_, campaign_)), 2.5);
  EXPECT_TRUE(Must(Diagnose(database_)).empty());
}

TEST_F(ProgressCurveTest, AnEmptyCampaignHasNoSteps) {
  const CampaignId fresh =
      Must(Campaigns(database_).Create(SpecNamed("fresh")));
  EXPECT_TRUE(Must(ReadProgressCurve(database_, fresh)).empty());
  EXPECT_EQ(Must(ReadEvaluatorSeconds(database_, fresh)), 0.0);
}

}  // namespace
}  // namespace coppice::store
