#include "engine/lab/curve.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

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

// In order, from a first to the whole budget, and no more of them than are
// asked for.
TEST(CurveTest, CheckpointsRiseToTheBudgetWhateverThatIs) {
  for (const double budget : {1.0, 2.0, 59.0, 60.0, 61.0, 1e3, 1e6, 1e12}) {
    for (const int most : {2, 7, 60}) {
      const auto points = Checkpoints(budget, Unit::kWhole, most);
      ASSERT_FALSE(points.empty());
      EXPECT_LE(points.size(), static_cast<std::size_t>(most));
      EXPECT_EQ(points.back(), budget);
      for (std::size_t i = 0; i < points.size(); ++i) {
        EXPECT_EQ(points[i], std::round(points[i]));
        EXPECT_GT(points[i], i == 0 ? 0.0 : points[i - 1]);
      }
    }
  }
  for (const double budget : {1e-9, 0.03, 1.0, 7200.0}) {
    const auto points = Checkpoints(budget, Unit::kReal);
    EXPECT_EQ(points.size(), 60U);
    EXPECT_EQ(points.back(), budget);
    EXPECT_TRUE(std::is_sorted(points.begin(), points.end()));
  }
}

}  // namespace
}  // namespace coppice::lab
