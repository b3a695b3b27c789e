#include "search/landscapes/evaluation_cost.h"

#include <gtest/gtest.h>

#include <cmath>

namespace coppice::search {
namespace {

// A kernel that takes 10 ms costs 0.2 s of compiling, and 32 runs or one.
TEST(EvaluationCostTest, FailuresCostLess) {
  EXPECT_DOUBLE_EQ(EvaluationSeconds(Verdict::kPassed, 0.01), 0.2 + 0.32);
  EXPECT_DOUBLE_EQ(EvaluationSeconds(Verdict::kWrongOutput, 0.01), 0.2 + 0.01);
  EXPECT_DOUBLE_EQ(EvaluationSeconds(Verdict::kCompileFailed, 0.01), 0.2);
}

// Twice as fast as a root of 20 ms.
TEST(EvaluationCostTest, AFastKernelIsRunSooner) {
  Point point;
  point.position.log_speedup = std::log(2.0);
  EXPECT_DOUBLE_EQ(EvaluationSeconds(point, 0.02), 0.2 + 0.32);
}

// What never ran costs its compiling, whatever it would have taken.
TEST(EvaluationCostTest, EveryVerdictHasItsPrice) {
  for (const Verdict none : {Verdict::kCompileFailed, Verdict::kNoCandidate}) {
    EXPECT_DOUBLE_EQ(EvaluationSeconds(none, 7.0), 0.2);
  }
  for (const Verdict once :
       {Verdict::kCrashed, Verdict::kTimedOut, Verdict::kWrongOutput,
        Verdict::kRejected, Verdict::kInconclusive}) {
    EXPECT_DOUBLE_EQ(EvaluationSeconds(once, 7.0), 7.2);
  }
}

// A failing point runs at the speed that it has, whatever was measured.
TEST(EvaluationCostTest, AWrongPointRunsAtItsOwnSpeed) {
  Point point;
  point.verdict = Verdict::kWrongOutput;
  point.measured = 5.0;
  point.position.log_speedup = std::log(4.0);
  EXPECT_DOUBLE_EQ(EvaluationSeconds(point, 0.04), 0.2 + 0.01);
}

}  // namespace
}  // namespace coppice::search
