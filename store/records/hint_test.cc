#include "store/records/hint.h"

#include <gtest/gtest.h>

#include <cmath>

namespace coppice {
namespace {

TEST(Hint, IsTheMeanOverWorkloadsOfRoundsWithoutTheirOutliers) {
  const double two = std::log(2.0);
  const double eight = std::log(8.0);
  // The lowest and the highest of five rounds are left out, so the first
  // workload says 2.  Both together: sqrt(2 * 8) = 4, and nothing varies.
  const auto hint = HintOf({{two, two, 9.0, two, -9.0}, {eight, eight, eight}});
  ASSERT_TRUE(hint);
  EXPECT_NEAR(hint->factor, 4.0, 1e-12);
  EXPECT_NEAR(hint->low, 4.0, 1e-12);
  EXPECT_NEAR(hint->high, 4.0, 1e-12);
  EXPECT_EQ(hint->samples, 8);
}

TEST(Hint, HasAnIntervalOfItsRounds) {
  // None of 0, 0.1 and 0.2 is trimmed: mean 0.1, variance 0.01 / 3, and
  // Student's 97.5 % point with two degrees of freedom is 4.303: 4.303 * 0.0577
  // = 0.2484.
  const auto hint = HintOf({{0.0, 0.1, 0.2}});
  ASSERT_TRUE(hint);
  EXPECT_NEAR(std::log(hint->factor), 0.1, 1e-12);
  EXPECT_NEAR(std::log(hint->low), 0.1 - 0.2484, 1e-3);
  EXPECT_NEAR(std::log(hint->high), 0.1 + 0.2484, 1e-3);
}

TEST(Hint, NeedsThreeRoundsOfEachWorkload) {
  EXPECT_FALSE(HintOf({}));
  EXPECT_FALSE(HintOf({{0.1, 0.1, 0.1}, {0.1, 0.1}}));
}

TEST(Hint, SaysThatTheKernelWasWrong) {
  EXPECT_EQ(HintText({.factor = 1.8, .low = 1.6, .high = 2.0, .samples = 5}),
            "ran about 1.80x as fast as the root (1.60-2.00), though it was "
            "wrong");
  // Nothing varied.
  EXPECT_EQ(HintText({.factor = 2.0, .low = 2.0, .high = 2.0, .samples = 5}),
            "ran about 2x as fast as the root, though it was wrong");
}

}  // namespace
}  // namespace coppice
