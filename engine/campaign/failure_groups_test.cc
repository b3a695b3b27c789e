#include "engine/campaign/failure_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "store/records/evaluation.h"
#include "store/scratch.h"

namespace coppice::engine {
namespace {

using store::Must;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
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

// "y[1]" and "y[12]" are one place of many; "y" and "y1" differ by more.
TEST(FailureGroupsTest, ANumberIsOneHoweverManyDigitsItHas) {
  FailureLines lines;
  for (const char* line : {"y[1] is 0", "y[12] is 345", "y[] is 0", "y[x] is 0",
                           "y[1.5] is 0", "", ""}) {
    lines.failures.push_back({0, Verdict::kWrongOutput, "", "", "", line});
  }
  std::vector<std::string> groups;
  for (const FailureGroup& group : GroupFailures(lines)) {
    groups.push_back(std::to_string(group.count) + " " + group.line);
  }
  EXPECT_THAT(groups, ElementsAre("2 ", "2 y[1] is 0", "1 y[1.5] is 0",
                                  "1 y[] is 0", "1 y[x] is 0"));
  EXPECT_THAT(GroupFailures({}), IsEmpty());
}

TEST(FailureGroupsTest, AllAreCountedAndTwentyNamed) {
  FailureLines lines;
  for (int i = 0; i < 1000; ++i) {
    lines.failures.push_back({i, Verdict::kCrashed, "", "tile", "stark",
                              "signal 11 at " + std::to_string(i)});
  }
  const auto groups = GroupFailures(lines);
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].count, 1000);
  EXPECT_EQ(groups[0].nodes.size(), 20U);
  EXPECT_EQ(groups[0].nodes.back(), 19);
  EXPECT_THAT(groups[0].techniques, ElementsAre(Pair("tile", 1000)));
}

// A campaign "c" beside another one, whose failures are none of its own.
class FailureLinesTest : public testing::Test {
 protected:
  FailureLinesTest() { store::PlantBeside(database_); }

  void Grow(Verdict verdict) {
    store::Grow(database_, campaign_, kRootNode, {.verdict = verdict});
  }

  // "1 crashed: log: crashed" of each, as they are by now.
  std::vector<std::string> Lines() {
    const store::CampaignRow row =
        Must(store::Campaigns(database_).Find(campaign_));
    Must(BringUpToDate(database_, row, further_, lines_));
    std::vector<std::string> texts;
    for (const FailureLine& each : lines_.failures) {
      texts.push_back(std::to_string(each.node) + " " +
                      std::string(Name(each.verdict)) + ": " + each.line);
    }
    return texts;
  }

  store::ScratchDirectory directory_;
  store::Database database_ = store::NewFile(directory_.File("x.db"));
  const CampaignId campaign_ = store::Plant(database_, "c");
  std::int64_t further_ = 0;
  FailureLines lines_;
};

TEST_F(FailureLinesTest, WhatFailedSinceIsAddedAndNothingTwice) {
  EXPECT_THAT(Lines(), IsEmpty());
  Grow(Verdict::kCrashed);
  Grow(Verdict::kPassed);
  EXPECT_THAT(Lines(), ElementsAre("1 crashed: log: crashed"));
  EXPECT_THAT(Lines(), ElementsAre("1 crashed: log: crashed"));
  Grow(Verdict::kTimedOut);
  EXPECT_THAT(Lines(), ElementsAre("1 crashed: log: crashed",
                                   "3 timed_out: log: timed_out"));
  EXPECT_EQ(lines_.failures[0].technique, "tile");
  EXPECT_EQ(lines_.failures[0].policy, "stark");
}

// More than are read at once.
TEST_F(FailureLinesTest, ManyAreReadPageByPage) {
  for (int i = 0; i < 150; ++i) {
    Grow(i % 3 == 0 ? Verdict::kPassed : Verdict::kCompileFailed);
  }
  const auto lines = Lines();
  ASSERT_EQ(lines.size(), 100U);
  EXPECT_EQ(lines.front(), "2 compile_failed: log: compile_failed");
  EXPECT_EQ(lines.back(), "150 compile_failed: log: compile_failed");
}

// Node 1 passed when it was read.
TEST_F(FailureLinesTest, WhatWasRefutedSinceIsReadAnew) {
  Grow(Verdict::kPassed);
  Grow(Verdict::kCrashed);
  EXPECT_THAT(Lines(), ElementsAre("2 crashed: log: crashed"));
  Must(store::Nodes(database_).AddEvaluation(
      campaign_, NodeId{1},
      store::EvaluationOf(Verdict::kWrongOutput, std::nullopt), 2000.0));
  further_ = 1;
  EXPECT_THAT(Lines(), ElementsAre("1 wrong_output: log: wrong_output",
                                   "2 crashed: log: crashed"));
}

// Another file took its place, with fewer nodes.
TEST_F(FailureLinesTest, AShorterCampaignIsReadAnew) {
  lines_.nodes = 99;
  lines_.failures.push_back({98, Verdict::kCrashed, "", "", "", "old"});
  Grow(Verdict::kCrashed);
  EXPECT_THAT(Lines(), ElementsAre("1 crashed: log: crashed"));
}

}  // namespace
}  // namespace coppice::engine
