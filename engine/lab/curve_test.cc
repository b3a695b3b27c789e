#include "engine/lab/curve.h"

#include <gmock/gmock.h>

namespace coppice::lab {
namespace {

TEST(CurveTest, ValueIsThatOfTheLastRise) {
  const Curve curve = {{2, 0.5}, {5, 0.7}};
  EXPECT_EQ(ValueAt(curve, 1), 0.0);
  EXPECT_EQ(ValueAt(curve, 2), 0.5);
  EXPECT_EQ(ValueAt(curve, 4.9), 0.5);
  EXPECT_EQ(ValueAt(curve, 5), 0.7);
  EXPECT_EQ(ValueAt(curve, 1e9), 0.7);
}

TEST(CurveTest, WithoutARiseTheRootIsTheBest) {
  EXPECT_EQ(ValueAt({}, 3), 0.0);
}

TEST(CurveTest, SmallBudgetsAreLookedAtEverywhere) {
  EXPECT_THAT(Checkpoints(4, Unit::kWhole), testing::ElementsAre(1, 2, 3, 4));
}

// 1, 10, 100, 1000: each ten times the last.
TEST(CurveTest, LargeBudgetsAreLookedAtByFactors) {
  EXPECT_THAT(Checkpoints(1000, Unit::kWhole, 4),
              testing::ElementsAre(1, 10, 100, 1000));
}

// By factors of 61^(1/59) many round to the same number.
TEST(CurveTest, NoCheckpointComesTwice) {
  const auto points = Checkpoints(61, Unit::kWhole);
  EXPECT_EQ(points.front(), 1);
  EXPECT_EQ(points.back(), 61);
  EXPECT_TRUE(
      std::is_sorted(points.begin(), points.end(), std::less_equal<double>()));
}

TEST(CurveTest, RealBudgetsBeginAtAThousandth) {
  const auto points = Checkpoints(0.5, Unit::kReal, 4);
  ASSERT_EQ(points.size(), 4U);
  EXPECT_DOUBLE_EQ(points[0], 0.0005);
  EXPECT_DOUBLE_EQ(points[1], 0.005);
  EXPECT_EQ(points[3], 0.5);
}

}  // namespace
}  // namespace coppice::lab
