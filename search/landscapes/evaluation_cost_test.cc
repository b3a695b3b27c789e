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

}  // namespace
}  // namespace coppice::search
