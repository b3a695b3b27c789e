#include "store/records/workload_result.h"

#include <gtest/gtest.h>

namespace coppice {
namespace {

TEST(WorkloadResultTest, MedianOfOddAndEvenCounts) {
  EXPECT_DOUBLE_EQ(Median({3.0, 1.0, 2.0}), 2.0);
  EXPECT_DOUBLE_EQ(Median({4.0, 1.0, 2.0, 3.0}), 2.5);
}

// Places 0.25 * 4 = 1 and 3; of four samples 0.75 and 2.25.
TEST(WorkloadResultTest, QuartilesLieBetweenSamples) {
  const Quartiles five = QuartilesOf({5.0, 1.0, 4.0, 2.0, 3.0});
  EXPECT_EQ(five.lower, 2.0);
  EXPECT_EQ(five.median, 3.0);
  EXPECT_EQ(five.upper, 4.0);
  const Quartiles four = QuartilesOf({1.0, 2.0, 3.0, 4.0});
  EXPECT_EQ(four.lower, 1.75);
  EXPECT_EQ(four.median, 2.5);
  EXPECT_EQ(four.upper, 3.25);
  EXPECT_EQ(QuartilesOf({7.0}).upper, 7.0);
}

}  // namespace
}  // namespace coppice
