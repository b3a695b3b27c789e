#include "engine/lab/reference.h"

#include <gtest/gtest.h>

namespace coppice::lab {
namespace {

TEST(ReferenceTest, ASharesEndsAreTheRootAndTheFastest) {
  const Reference reference = {.optimum = 0.5, .random = 0.2};
  EXPECT_EQ(ShareOfOptimum(0.0, reference), 0.0);
  EXPECT_EQ(ShareOfOptimum(0.25, reference), 0.5);
  EXPECT_EQ(ShareOfOptimum(0.5, reference), 1.0);
}

TEST(ReferenceTest, NothingIsFasterThanTheFastestButByNoise) {
  const Reference reference = {.optimum = 0.02, .random = 0.01};
  EXPECT_EQ(ShareOfOptimum(0.05, reference), 1.0);
  EXPECT_EQ(ScoreOverRandom(0.05, reference), 1.0);
}

TEST(ReferenceTest, ARootThatIsTheFastestHasNothingToShare) {
  EXPECT_FALSE(ShareOfOptimum(0.0, {.optimum = 0.0, .random = 0.0}));
  EXPECT_FALSE(ScoreOverRandom(0.0, {.optimum = 0.0, .random = 0.0}));
}

TEST(ReferenceTest, RandomSearchIsZeroAndWorseIsBelow) {
  const Reference reference = {.optimum = 0.5, .random = 0.25};
  EXPECT_EQ(ScoreOverRandom(0.25, reference), 0.0);
  EXPECT_EQ(ScoreOverRandom(0.5, reference), 1.0);
  EXPECT_EQ(ScoreOverRandom(0.0, reference), -1.0);
}

// 0.475 is 95 % of 0.5.
TEST(ReferenceTest, WhereRandomSearchFindsTheFastestNothingIsTold) {
  EXPECT_TRUE(ScoreOverRandom(0.5, {.optimum = 0.5, .random = 0.47}));
  EXPECT_FALSE(ScoreOverRandom(0.5, {.optimum = 0.5, .random = 0.475}));
}

}  // namespace
}  // namespace coppice::lab
