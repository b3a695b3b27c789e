#include "search/weighted_draw.h"

#include <gtest/gtest.h>

#include <numeric>

namespace coppice::search {
namespace {

std::vector<double> Chances(std::vector<double> weights) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= total;
  return weights;
}

// Computed from Shinka's own formula: x0 = 2.5, D = 1.
TEST(WeightedDrawTest, WeightsAreThoseOfShinka) {
  const std::vector<double> chances =
      Chances(ShinkaWeights({1, 2, 3, 5}, {0, 3, 1, 0}, 10.0));
  EXPECT_NEAR(chances[0], 0.000000, 1e-6);
  EXPECT_NEAR(chances[1], 0.001117, 1e-6);
  EXPECT_NEAR(chances[2], 0.331472, 1e-6);
  EXPECT_NEAR(chances[3], 0.667411, 1e-6);
}

// All at the median: sigmoid(0) = 1/2, over one more than the children.
TEST(WeightedDrawTest, EquallyFastNodesDifferByTheirChildrenAlone) {
  const std::vector<double> weights = ShinkaWeights({2, 2}, {0, 3}, 10.0);
  EXPECT_DOUBLE_EQ(weights[0], 0.5);
  EXPECT_DOUBLE_EQ(weights[1], 0.125);
}

// e^-x for x in the thousands is 0, and 1 / (1 + inf) too.
TEST(WeightedDrawTest, AnExtremeSpreadIsNoDivisionByZero) {
  const std::vector<double> weights = ShinkaWeights({0, 0, 9}, {0, 0, 0}, 10.0);
  EXPECT_DOUBLE_EQ(weights[0], 0.5);
  EXPECT_DOUBLE_EQ(weights[2], 1.0);
}

}  // namespace
}  // namespace coppice::search
