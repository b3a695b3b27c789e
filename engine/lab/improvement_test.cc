#include "engine/lab/improvement.h"

#include <gtest/gtest.h>

#include <vector>

namespace coppice::lab {
namespace {

double Share(const std::vector<double>& differences) {
  return ProbabilityOfImprovement(differences);
}

// Two wins and a tie of four.
TEST(ImprovementTest, CountsWinsAndHalfOfTies) {
  EXPECT_DOUBLE_EQ(Share({0.1, 3.0, 0.0, -9.0}), 2.5 / 4.0);
}

TEST(ImprovementTest, OnlyTheSignCounts) {
  EXPECT_DOUBLE_EQ(Share({1e-9}), 1.0);
  EXPECT_DOUBLE_EQ(Share({-1e-9}), 0.0);
}

TEST(ImprovementTest, NothingToCompareIsAToss) {
  EXPECT_DOUBLE_EQ(Share({}), 0.5);
  EXPECT_DOUBLE_EQ(Share({0.0, 0.0}), 0.5);
}

}  // namespace
}  // namespace coppice::lab
