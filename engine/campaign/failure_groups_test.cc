#include "engine/campaign/failure_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coppice::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

// Two err at two places of y, one at x; a rule parts what says the same.
TEST(FailureGroupsTest, WhatFailedAlikeIsOneGroupAndTheLargestComesFirst) {
  FailureLines lines;
  lines.failures = {
      {3, Verdict::kWrongOutput, "", "tile", "stark", "x[0]: got 1"},
      {4, Verdict::kWrongOutput, "", "tile", "stark", "y[2]: got 1"},
      {7, Verdict::kWrongOutput, "", "jam", "stark", "y[15]: got 1"},
      {9, Verdict::kRejected, "too_fast", "", "human", "y[15]: got 1"},
  };
  const auto groups = GroupFailures(lines);
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].line, "y[2]: got 1");
  EXPECT_EQ(groups[0].count, 2);
  EXPECT_THAT(groups[0].nodes, ElementsAre(4, 7));
  EXPECT_THAT(groups[0].techniques,
              ElementsAre(Pair("jam", 1), Pair("tile", 1)));
  EXPECT_EQ(groups[1].line, "x[0]: got 1");
  EXPECT_EQ(groups[2].rule, "too_fast");
  EXPECT_THAT(groups[2].policies, ElementsAre(Pair("human", 1)));
}

}  // namespace
}  // namespace coppice::engine
