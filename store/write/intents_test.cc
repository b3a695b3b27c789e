#include "store/write/intents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/scratch.h"

namespace coppice::store {
namespace {

using ::testing::ElementsAre;

class IntentsTest : public ::testing::Test {
 protected:
  std::vector<std::string> Ask(std::int64_t nodes, std::int64_t limit) {
    std::vector<std::string> told;
    for (const auto& [last, tried] :
         Must(ReadUnrealised(database_, campaign_, nodes, limit))) {
      told.push_back(std::to_string(Index(last)) + " of " +
                     std::to_string(tried));
    }
    return told;
  }
  // A repair shares its parent's plan.
  NodeId Repair(NodeId node, Verdict verdict) {
    const NodeId repaired =
        Grow(database_, campaign_, node, {.verdict = verdict});
    Change(database_,
           "UPDATE node SET plan_id = (SELECT plan_id FROM node o"
           " WHERE o.number = " +
               std::to_string(Index(node)) +
               ") WHERE number = " + std::to_string(Index(repaired)));
    return repaired;
  }

  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  CampaignId campaign_ = Plant(database_, "a");
};

// 1 passes; 2 failed, and so did its repair 3; 4 failed, and 5 repaired it; 6
// failed; 7 is undecided.
TEST_F(IntentsTest, WhatNoNodePassesWithIsUnrealised) {
  Grow(database_, campaign_, kRootNode);
  Repair(Grow(database_, campaign_, kRootNode,
              {.verdict = Verdict::kCompileFailed}),
         Verdict::kWrongOutput);
  Repair(Grow(database_, campaign_, kRootNode, {.verdict = Verdict::kCrashed}),
         Verdict::kPassed);
  Grow(database_, campaign_, kRootNode, {.verdict = Verdict::kNoCandidate});
  Grow(database_, campaign_, kRootNode, {.verdict = Verdict::kInconclusive});
  EXPECT_THAT(Ask(8, 9), ElementsAre("6 of 1", "3 of 2"));
  EXPECT_THAT(Ask(8, 1), ElementsAre("6 of 1"));
  // Before 5 and 3 came.
  EXPECT_THAT(Ask(5, 9), ElementsAre("4 of 1", "3 of 2"));
  EXPECT_THAT(Ask(3, 9), ElementsAre("2 of 1"));
}

// 1 crashed, and it is not decided yet what its repair 2 is worth.
TEST_F(IntentsTest, WhatMayYetPassIsNotUnrealised) {
  const NodeId crashed =
      Grow(database_, campaign_, kRootNode, {.verdict = Verdict::kCrashed});
  EXPECT_THAT(Ask(2, 9), ElementsAre("1 of 1"));
  Repair(crashed, Verdict::kInconclusive);
  EXPECT_THAT(Ask(3, 9), ElementsAre());
  EXPECT_THAT(Ask(2, 9), ElementsAre("1 of 1"));
}

}  // namespace
}  // namespace coppice::store
