#include "engine/compare/score.h"

#include <gtest/gtest.h>

#include <cmath>

#include "store/records/node.h"
#include "store/scratch.h"
#include "store/write/campaigns.h"
#include "store/write/directives.h"

namespace coppice::engine {
namespace {

using store::Step;

Step Passed(double speedup, bool is_proven = false) {
  Step step;
  step.verdict = Verdict::kPassed;
  step.speedup = Speedup{speedup, std::nullopt};
  step.is_proven = is_proven;
  return step;
}

Step Failed(Verdict verdict) {
  Step step;
  step.verdict = verdict;
  return step;
}

const Cell kScoredCell{"stark", "t", 1};

lab::Score ScoreAfter(const std::vector<Step>& course, double attempts) {
  return ScoreOf(kScoredCell, course, {BudgetKind::kAttempts, attempts});
}

TEST(ScoreTest, IsOfTheFastestNodeThatTheBudgetReaches) {
  const std::vector<Step> course = {Passed(1), Passed(2), Passed(1.5),
                                    Passed(4)};
  EXPECT_DOUBLE_EQ(ScoreAfter(course, 1).log_speedup, std::log(2.0));
  EXPECT_DOUBLE_EQ(ScoreAfter(course, 2).log_speedup, std::log(2.0));
  EXPECT_DOUBLE_EQ(ScoreAfter(course, 3).log_speedup, std::log(4.0));
  EXPECT_EQ(ScoreAfter(course, 2).attempts, 2);
  ASSERT_EQ(ScoreAfter(course, 3).curve.size(), 2u);
  EXPECT_EQ(ScoreAfter(course, 3).curve[1].spent, 3.0);
}

TEST(ScoreTest, OnlyAnIncumbentThatPassedTheFullTierIsProven) {
  EXPECT_TRUE(ScoreAfter({Passed(1), Passed(4, true)}, 1).proven);
  EXPECT_FALSE(ScoreAfter({Passed(1), Passed(4)}, 1).proven);
  EXPECT_FALSE(ScoreAfter({Passed(1), Passed(2, true), Passed(4)}, 2).proven);
  EXPECT_TRUE(
      ScoreAfter({Passed(1), Passed(0.5)}, 1).proven);  // The root's it is.
}

TEST(ScoreTest, IsNeverBelowTheRoot) {
  EXPECT_EQ(ScoreAfter({Passed(1), Passed(0.5)}, 1).log_speedup, 0.0);
  EXPECT_TRUE(ScoreAfter({Passed(1), Passed(0.5)}, 1).solved);
  EXPECT_TRUE(ScoreAfter({Passed(1), Passed(0.5)}, 1).curve.empty());
}

// Two per cent are more than the interval of one, and less than that of four.
TEST(ScoreTest, IsDecidedIfTheBestCandidateIsToldFromTheRoot) {
  const auto decided = [](double ratio, double width) {
    Step step = Passed(ratio);
    step.speedup->interval = Interval{ratio / width, ratio * width};
    return ScoreAfter({Passed(1), step}, 1).decided;
  };
  EXPECT_TRUE(decided(1.02, 1.01));
  EXPECT_TRUE(decided(0.98, 1.01));
  EXPECT_FALSE(decided(1.02, 1.04));
  EXPECT_FALSE(ScoreAfter({Passed(1), Passed(9)}, 1).decided);  // No interval.
  EXPECT_TRUE(ScoreAfter({Passed(1), Failed(Verdict::kCrashed)}, 1).decided);
  EXPECT_FALSE(
      ScoreAfter({Passed(1), Failed(Verdict::kInconclusive)}, 1).decided);
}

TEST(ScoreTest, CountsWhatCompiledAndPassed) {
  const lab::Score score = ScoreAfter(
      {Passed(1), Failed(Verdict::kCompileFailed),
       Failed(Verdict::kNoCandidate), Failed(Verdict::kWrongOutput), Passed(2)},
      4);
  EXPECT_EQ(score.attempts, 4);
  EXPECT_EQ(score.compiled, 2);
  EXPECT_EQ(score.passed, 1);
  const lab::Score nothing =
      ScoreAfter({Passed(1), Failed(Verdict::kCrashed)}, 1);
  EXPECT_FALSE(nothing.solved);
  EXPECT_EQ(nothing.log_speedup, 0.0);
}

// 40 + 40 + 40 s: of 100 s the third attempt begins before they are used, and
// it counts, at the end of the budget.
TEST(ScoreTest, BudgetsOfOtherKindsReachAsFarAsTheyAreUnspent) {
  std::vector<Step> course = {Passed(1), Passed(2), Passed(3), Passed(4),
                              Passed(5)};
  for (Step& step : course) step.evaluator_s = 40.0;
  const lab::Score score =
      ScoreOf(kScoredCell, course, {BudgetKind::kEvaluatorSeconds, 100.0});
  EXPECT_EQ(score.attempts, 3);
  EXPECT_DOUBLE_EQ(score.log_speedup, std::log(4.0));
  EXPECT_EQ(score.curve.back().spent, 100.0);
}

TEST(ScoreTest, EmptyCampaignsHaveNoIncumbent) {
  EXPECT_FALSE(Incumbent({}, {}));
  EXPECT_FALSE(Incumbent({Passed(1)}, {}));
  EXPECT_EQ(ScoreAfter({}, 3).log_speedup, 0.0);
}

// The campaign made none of 30 attempts, since its agents had nothing to try.
// More would bring no more, so it counts; one that is paused may yet come to
// something.
TEST(ScoreTest, ACampaignThatARuleEndedHasItsScore) {
  store::ScratchDirectory directory;
  store::Database database =
      store::Database::Open(directory.File("a.db"), store::Access::kCreate)
          .value();
  store::Campaigns campaigns(database);
  Grid grid{{"stark"}, {"t"}, {1}, {BudgetKind::kAttempts, 30.0}};
  store::CampaignSpec spec;
  spec.name = CampaignName(kScoredCell, grid.budget);
  spec.task_name = "t";
  spec.task_json = "{}";
  spec.policy = "stark";
  spec.budget_attempts = 30;
  const CampaignId id = campaigns.Create(spec).value();
  const auto scored = [&] {
    return ReadScores(database, campaigns.List().value(), grid)
        .value()
        .scores.size();
  };
  ASSERT_TRUE(campaigns.Update(id, store::CampaignState::kPaused, 0.0, 1.0)
                  .has_value());
  EXPECT_EQ(scored(), 0u);
  ASSERT_TRUE(campaigns.Stop(id, "nothing is left to try", 2.0).has_value());
  EXPECT_EQ(scored(), 1u);
  grid.budget.amount = 60.0;
  EXPECT_EQ(scored(), 0u);
}

class ReadScoresTest : public testing::Test {
 protected:
  // A campaign of the cell with that budget, in that state, and so many
  // attempts, each faster than the last: 4 s, 2 s, 1 s, ...
  void Plant(const Cell& cell, std::int64_t budget, store::CampaignState state,
             int attempts) {
    store::CampaignSpec spec =
        store::SpecNamed(CampaignName(cell, grid_.budget));
    spec.budget_attempts = budget;
    spec.settings = Marks(cell, grid_.budget);
    store::Campaigns campaigns(database_);
    const CampaignId campaign = store::Must(campaigns.Create(spec));
    store::Must(store::Nodes(database_).Commit(campaign, std::nullopt,
                                               store::RootNode(), 1000.0));
    double runtime_s = 4.0;
    for (int i = 0; i < attempts; ++i) {
      runtime_s /= 2.0;
      store::Grow(database_, campaign, kRootNode, {.runtime_s = runtime_s});
    }
    store::Must(campaigns.Update(campaign, state, 0.0, 2000.0));
  }

  Scores Read() {
    return store::Must(ReadScores(
        database_, store::Must(store::Campaigns(database_).List()), grid_));
  }

  store::ScratchDirectory directory_;
  store::Database database_ = store::NewFile(directory_.File("x.db"));
  Grid grid_{{"stark"}, {"t"}, {1, 2}, {BudgetKind::kAttempts, 2.0}};
};

TEST_F(ReadScoresTest, WhatIsNotAtItsEndIsMissing) {
  EXPECT_EQ(Read().missing.size(), 2u);
  Plant({"stark", "t", 1}, 2, store::CampaignState::kRunning, 2);
  Plant({"stark", "t", 2}, 2, store::CampaignState::kFinished, 2);
  const Scores scores = Read();
  ASSERT_EQ(scores.scores.size(), 1u);
  EXPECT_EQ(scores.scores[0].seed, 2u);
  EXPECT_DOUBLE_EQ(scores.scores[0].log_speedup, std::log(4.0));
  ASSERT_EQ(scores.missing.size(), 1u);
  EXPECT_EQ(scores.missing[0].seed, 1u);
}

// One that was given more has passed this end already, and another has not
// come to it although it is finished: its budget was smaller.
TEST_F(ReadScoresTest, AnotherBudgetCountsAsFarAsItReaches) {
  Plant({"stark", "t", 1}, 9, store::CampaignState::kRunning, 3);
  Plant({"stark", "t", 2}, 1, store::CampaignState::kFinished, 1);
  const Scores scores = Read();
  ASSERT_EQ(scores.scores.size(), 1u);
  EXPECT_EQ(scores.scores[0].seed, 1u);
  EXPECT_EQ(scores.scores[0].attempts, 2);
  EXPECT_DOUBLE_EQ(scores.scores[0].log_speedup, std::log(4.0));
}

// It is no sample of its policy any more.
TEST_F(ReadScoresTest, WhatPeopleSteeredIsLeftOutAndNamed) {
  Plant({"stark", "t", 1}, 2, store::CampaignState::kFinished, 2);
  Plant({"stark", "t", 2}, 2, store::CampaignState::kFinished, 2);
  Directive advice;
  advice.uuid = store::NextUuid();
  advice.author = "ana";
  advice.kind = DirectiveKind::kAdvise;
  advice.text = "Tile.";
  const CampaignId second{2};
  const auto appended =
      store::Must(store::AppendDirective(database_, second, advice));
  EXPECT_EQ(Read().scores.size(), 2u);  // It waits, and changed nothing yet.
  store::Must(store::TakeUpAlone(database_, second, 2, {{appended.id, ""}}));
  const Scores scores = Read();
  ASSERT_EQ(scores.scores.size(), 1u);
  ASSERT_EQ(scores.steered.size(), 1u);
  EXPECT_EQ(scores.steered[0], "compare.t.stark.s2");
}

}  // namespace
}  // namespace coppice::engine
