#include "engine/compare/confirm_winner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "engine/compare/score.h"
#include "engine/process/clock.h"
#include "eval/judge/evaluator.h"
#include "store/records/evaluation.h"
#include "store/scratch.h"

namespace coppice::engine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

struct Remeasured {
  Verdict verdict = Verdict::kPassed;
  double runtime_s = 1.0;
};

// What a source does when it is measured once more.
class Remeasuring final : public eval::Evaluator {
 public:
  Result<Evaluation> Evaluate(const Task&, const Candidate& candidate,
                              Tier tier) override {
    asked.push_back(candidate.source);
    if (is_broken) return Fail(Errc::kUnavailable, "device: lost");
    const Remeasured& answer = answers[candidate.source];
    const bool passes = answer.verdict == Verdict::kPassed;
    Evaluation evaluation = store::EvaluationOf(
        answer.verdict,
        passes ? std::optional(answer.runtime_s) : std::nullopt);
    evaluation.tier = tier;
    return evaluation;
  }
  std::map<std::string, Remeasured> answers;
  std::vector<std::string> asked;
  bool is_broken = false;
};

// Root 4 s; then a 2 s, b 1 s, c 3 s, d 0.5 s.
class ConfirmWinnerTest : public testing::Test {
 protected:
  ConfirmWinnerTest() {
    for (const auto& [source, runtime_s] :
         {std::pair("a", 2.0), std::pair("b", 1.0), std::pair("c", 3.0),
          std::pair("d", 0.5)}) {
      Add(source, runtime_s);
    }
  }
  void Add(const std::string& source, double runtime_s) {
    store::Grow(database_, campaign_, kRootNode,
                {.source = source, .runtime_s = runtime_s});
  }
  Result<bool> Prove(const Budget& budget) {
    return ConfirmWinner(
        [this]() -> Result<eval::Evaluator*> { return &evaluator_; }, task_,
        database_, campaign_, budget, clock_, drain_);
  }
  lab::Score ScoreAt(const Budget& budget) {
    return ScoreOf({},
                   store::Must(store::ReadProgressCurve(database_, campaign_)),
                   budget);
  }

  const Budget all_{BudgetKind::kAttempts, 4};
  const Budget three_{BudgetKind::kAttempts, 3};
  Task task_;
  SystemClock clock_;
  std::atomic<bool> drain_{false};
  Remeasuring evaluator_;
  store::ScratchDirectory directory_;
  store::Database database_ = store::NewFile(directory_.File("x.db"));
  CampaignId campaign_ = store::Plant(database_, "a");
};

TEST_F(ConfirmWinnerTest, WhatMeasuringOnceMoreGivesCounts) {
  evaluator_.answers["d"].runtime_s = 0.8;
  EXPECT_FALSE(ScoreAt(all_).proven);
  EXPECT_TRUE(Prove(all_).value());
  EXPECT_THAT(evaluator_.asked, ElementsAre("d"));
  EXPECT_TRUE(ScoreAt(all_).proven);
  // Pooled without intervals: the geometric mean of 8 and 5.
  EXPECT_DOUBLE_EQ(ScoreAt(all_).log_speedup, std::log(std::sqrt(40.0)));
}

TEST_F(ConfirmWinnerTest, AWinnerIsMeasuredAgainOnce) {
  EXPECT_TRUE(Prove(all_).value());
  EXPECT_TRUE(Prove(all_).value());
  EXPECT_THAT(evaluator_.asked, SizeIs(1));
}

// Nobody knew of d at three attempts.
TEST_F(ConfirmWinnerTest, EachBudgetHasAnIncumbentOfItsOwn) {
  EXPECT_TRUE(Prove(three_).value());
  EXPECT_TRUE(Prove(all_).value());
  EXPECT_THAT(evaluator_.asked, ElementsAre("b", "d"));
}

TEST_F(ConfirmWinnerTest, TheRefutedMakeWayForTheNext) {
  evaluator_.answers["d"].verdict = Verdict::kWrongOutput;
  evaluator_.answers["b"].verdict = Verdict::kCrashed;
  EXPECT_TRUE(Prove(all_).value());
  EXPECT_THAT(evaluator_.asked, ElementsAre("d", "b", "a"));
  EXPECT_TRUE(ScoreAt(all_).proven);
  EXPECT_DOUBLE_EQ(ScoreAt(all_).log_speedup,
                   std::log(std::sqrt(8.0)));  // Of 2 and 4.
}

// A root that nothing beats needs no proof.
TEST_F(ConfirmWinnerTest, AllWinnersMayBeRefuted) {
  for (const char* source : {"a", "b", "c", "d"}) {
    evaluator_.answers[source].verdict = Verdict::kTimedOut;
  }
  EXPECT_TRUE(Prove(all_).value());
  EXPECT_THAT(evaluator_.asked, ElementsAre("d", "b", "a", "c"));
  EXPECT_TRUE(ScoreAt(all_).proven);
  EXPECT_EQ(ScoreAt(all_).log_speedup, 0.0);
}

TEST_F(ConfirmWinnerTest, ALongRowOfRefutationsIsLeftToAnotherRun) {
  const Budget six{BudgetKind::kAttempts, 6};
  Add("e", 0.4);
  Add("f", 0.3);
  for (const char* source : {"a", "b", "c", "d", "e", "f"}) {
    evaluator_.answers[source].verdict = Verdict::kWrongOutput;
  }
  EXPECT_TRUE(Prove(six).value());
  EXPECT_THAT(evaluator_.asked, ElementsAre("f", "e", "d", "b", "a"));
  EXPECT_FALSE(ScoreAt(six).proven);
  EXPECT_TRUE(Prove(six).value());
  EXPECT_THAT(evaluator_.asked, SizeIs(6));
}

TEST_F(ConfirmWinnerTest, WhatCannotBeDecidedStaysUnproven) {
  evaluator_.answers["d"].verdict = Verdict::kInconclusive;
  EXPECT_TRUE(Prove(all_).value());
  EXPECT_THAT(evaluator_.asked, ElementsAre("d"));
  EXPECT_FALSE(ScoreAt(all_).proven);
  EXPECT_DOUBLE_EQ(ScoreAt(all_).log_speedup, std::log(8.0));
}

TEST_F(ConfirmWinnerTest, AStoppedRunMeasuresNothing) {
  drain_ = true;
  EXPECT_FALSE(Prove(all_).value());
  EXPECT_THAT(evaluator_.asked, IsEmpty());
}

TEST_F(ConfirmWinnerTest, AFailureOfOursRefutesNothing) {
  evaluator_.is_broken = true;
  EXPECT_EQ(Prove(all_).error().what, "device: lost");
  EXPECT_DOUBLE_EQ(ScoreAt(all_).log_speedup, std::log(8.0));
  evaluator_.is_broken = false;
  EXPECT_TRUE(Prove(all_).value());
  EXPECT_TRUE(ScoreAt(all_).proven);
}

}  // namespace
}  // namespace coppice::engine
