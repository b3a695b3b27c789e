#include "engine/lab/holm.h"

#include <gtest/gtest.h>

namespace coppice::lab {
namespace {

// In order: 4 * 0.005 = 0.02; 3 * 0.01 = 0.03; 2 * 0.03 = 0.06; 1 * 0.04 is
// less than the one before it, so 0.06.
TEST(HolmTest, AdjustsAsDerivedByHand) {
  const std::vector<double> adjusted = HolmAdjusted({0.01, 0.04, 0.03, 0.005});
  ASSERT_EQ(adjusted.size(), 4U);
  EXPECT_DOUBLE_EQ(adjusted[0], 0.03);
  EXPECT_DOUBLE_EQ(adjusted[1], 0.06);
  EXPECT_DOUBLE_EQ(adjusted[2], 0.06);
  EXPECT_DOUBLE_EQ(adjusted[3], 0.02);
}

TEST(HolmTest, OneQuestionStaysAsItIs) {
  EXPECT_EQ(HolmAdjusted({0.2}), std::vector<double>{0.2});
}

TEST(HolmTest, NoneIsAboveOne) {
  EXPECT_EQ(HolmAdjusted({0.6, 0.6}), (std::vector<double>{1.0, 1.0}));
  EXPECT_TRUE(HolmAdjusted({}).empty());
}

}  // namespace
}  // namespace coppice::lab
