#include "engine/lab/improvement.h"

#include <gtest/gtest.h>

namespace coppice::lab {
namespace {

// 3 beats 1, 2 and ties with 3: 2.5 of 3.  1 ties with 1: 0.5 of 3.
TEST(ImprovementTest, CountsPairsAndHalfOfTies) {
  EXPECT_DOUBLE_EQ(ProbabilityOfImprovement({{3, 1}}, {{1, 2, 3}}), 0.5);
  EXPECT_DOUBLE_EQ(ProbabilityOfImprovement({{3}}, {{1, 2, 3}}), 2.5 / 3.0);
}

// 1 on the first task, where there are many scores, 0 on the second.
TEST(ImprovementTest, TasksCountAlike) {
  EXPECT_DOUBLE_EQ(ProbabilityOfImprovement({{9, 9, 9}, {0}}, {{1, 1, 1}, {1}}),
                   0.5);
}

TEST(ImprovementTest, EqualScoresAreAToss) {
  EXPECT_DOUBLE_EQ(ProbabilityOfImprovement({{2, 2}}, {{2, 2}}), 0.5);
}

TEST(ImprovementTest, TasksWithoutScoresAreLeftOut) {
  EXPECT_DOUBLE_EQ(ProbabilityOfImprovement({{}, {1}}, {{5}, {0}}), 1.0);
  EXPECT_DOUBLE_EQ(ProbabilityOfImprovement({{}}, {{5}}), 0.5);
}

}  // namespace
}  // namespace coppice::lab
