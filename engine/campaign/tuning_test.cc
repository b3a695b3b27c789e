#include "engine/campaign/tuning.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

namespace coppice::engine {
namespace {

// x in 1..4, y in 1..3.
constexpr std::string_view kSource =
    "int x = 2;  //@ tune 1 2 3 4\n"
    "int y = 1;  //@ tune 1 2 3\n";

const Candidate kCandidate{Language::kCpp, std::string(kSource), "run"};

std::vector<TuningParameter> Parameters() {
  return *TuningParametersOf(kSource);
}

Evaluation Measured(double ratio, double half_width = 0.01) {
  Evaluation evaluation;
  evaluation.verdict = Verdict::kPassed;
  evaluation.speedup = Around(ratio, half_width);
  return evaluation;
}

Evaluation Failed() {
  Evaluation evaluation;
  evaluation.verdict = Verdict::kWrongOutput;
  return evaluation;
}

// Judges by the numbers in the source; what the map lacks fails.
class Judge {
 public:
  explicit Judge(std::map<std::string, double> speedups)
      : speedups_(std::move(speedups)) {}

  Result<Evaluation> operator()(const Candidate& candidate) {
    const auto parameters = *TuningParametersOf(candidate.source);
    const std::string text =
        ConfigurationText(parameters, AuthorsChoice(parameters));
    asked += text + ";";
    const auto found = speedups_.find(text);
    return found == speedups_.end() ? Failed() : Measured(found->second);
  }

  std::string asked;

 private:
  std::map<std::string, double> speedups_;
};

Tuned TuneBy(Judge& judge, std::int64_t most) {
  const auto parameters = Parameters();
  auto tuned =
      Tune(kCandidate, parameters, Measured(1.0), most,
           [&](const Candidate& candidate) { return judge(candidate); });
  EXPECT_TRUE(tuned);
  return *std::move(tuned);
}

// From x=2 y=1: up to x=3, which is faster, and on to x=4, which is not; x=2
// was tried.  Then y=2 from x=3, slower.  Nothing is left: y has no lower.
TEST(TuneTest, TheWalkGoesOnWhereItWasFasterAndEndsAtATop) {
  Judge judge({{"x=3 y=1", 2.0}, {"x=4 y=1", 1.5}, {"x=3 y=2", 1.9}});
  const Tuned tuned = TuneBy(judge, 100);
  EXPECT_EQ(judge.asked, "x=3 y=1;x=4 y=1;x=3 y=2;");
  EXPECT_EQ(tuned.trials.size(), 4u);
  EXPECT_EQ(tuned.best, 1u);
}

// x=3 and x=1 fail, then y=2 passes and is faster; y=3 from there; then x=3 and
// x=1 once more, since they are other configurations beside y=2.
TEST(TuneTest, AFailureIsPassedByAndNeverTheBest) {
  Judge judge({{"x=2 y=2", 1.3}});
  const Tuned tuned = TuneBy(judge, 100);
  EXPECT_EQ(judge.asked, "x=3 y=1;x=1 y=1;x=2 y=2;x=2 y=3;x=3 y=2;x=1 y=2;");
  EXPECT_EQ(tuned.best, 3u);
}

TEST(TuneTest, NoMoreTrialsAreMadeThanAreAllowed) {
  Judge judge({{"x=3 y=1", 2.0}, {"x=4 y=1", 3.0}});
  EXPECT_EQ(TuneBy(judge, 1).trials.size(), 2u);
  EXPECT_EQ(judge.asked, "x=3 y=1;");
}

TEST(TuneTest, AnErrorOfTheEvaluatorsEndsIt) {
  const auto parameters = Parameters();
  const auto tuned = Tune(kCandidate, parameters, Measured(1.0), 5,
                          [](const Candidate&) -> Result<Evaluation> {
                            return Fail(Errc::kCancelled, "stopped");
                          });
  ASSERT_FALSE(tuned);
  EXPECT_EQ(tuned.error().code, Errc::kCancelled);
}

// 1.01 over 1, each within 1 %: their quotient is within 1.4 % of 1.01, which
// leaves it open which is faster; 1.05 is told apart.
TEST(ChooseTrialTest, WhatIsInsideTheNoiseDoesNotReplaceTheAuthorsChoice) {
  std::vector<TuningTrial> trials = {{{0}, Measured(1.0)},
                                     {{1}, Measured(1.01)}};
  EXPECT_EQ(ChooseTrial(trials), 0u);
  trials.push_back({{2}, Measured(1.05)});
  EXPECT_EQ(ChooseTrial(trials), 2u);
}

// The one that failed has no speedup, and the one that is equal is no better.
TEST(ChooseTrialTest, OfEqualOnesTheAuthorsStays) {
  EXPECT_EQ(ChooseTrial(std::vector<TuningTrial>{{{0}, Measured(2.0)},
                                                 {{1}, Failed()},
                                                 {{2}, Measured(2.0)},
                                                 {{3}, Measured(1.0)}}),
            0u);
  EXPECT_EQ(ChooseTrial(std::vector<TuningTrial>{{{0}, Measured(1.0)},
                                                 {{1}, Failed()},
                                                 {{2}, Measured(2.0)},
                                                 {{3}, Measured(3.0)}}),
            3u);
}

// At both ends of the lists there is one way to go: x=1 upwards, y=3 down.
TEST(TuneTest, AWalkFromACornerStaysInside) {
  const auto parameters = Parameters();
  ConfigurationWalk walk(parameters, {0, 2}, 0.0);
  std::string asked;
  while (const auto next = walk.Next()) {
    asked += ConfigurationText(parameters, *next) + ";";
    walk.Tell(*next, std::nullopt);
  }
  EXPECT_EQ(asked, "x=2 y=3;x=1 y=2;");
}

// It is not walked on from: x=3 y=1 is as fast, and x=4 is not asked for.
TEST(TuneTest, AStepThatIsNoFasterIsNone) {
  Judge judge({{"x=3 y=1", 1.0}});
  TuneBy(judge, 100);
  EXPECT_EQ(judge.asked, "x=3 y=1;x=1 y=1;x=2 y=2;");
}

TEST(TuneTest, WithoutTrialsTheAuthorsChoiceIsAll) {
  Judge judge({{"x=3 y=1", 2.0}});
  const Tuned tuned = TuneBy(judge, 0);
  EXPECT_EQ(judge.asked, "");
  ASSERT_EQ(tuned.trials.size(), 1u);
  EXPECT_EQ(tuned.trials[0].configuration, (Configuration{1, 0}));
}

}  // namespace
}  // namespace coppice::engine
