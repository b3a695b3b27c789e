#include "engine/steering/external_choice.h"

#include <gtest/gtest.h>

#include <string>

namespace coppice::engine {
namespace {

search::Selection Own(std::int64_t node, const std::string& reason) {
  search::Selection selection;
  selection.node = NodeId{node};
  selection.reason = reason;
  return selection;
}

TEST(ExternalChoiceTest, WhatThePolicyWouldTakeIsSaidBesideIt) {
  const search::Selection choice = ExternalChoice(
      NodeId{7}, "asked for by ana", "stark", Own(3, "exploit: best eligible"));
  EXPECT_EQ(choice.node, NodeId{7});
  EXPECT_EQ(choice.reason,
            "asked for by ana; stark takes node 3: exploit: best eligible");
  EXPECT_FALSE(choice.mate);
}

// The policy's mate is none of the node that is taken in its place.
TEST(ExternalChoiceTest, ACrossingOfThePolicyIsSaidAndNotMade) {
  search::Selection own = Own(3, "cross");
  own.mate = NodeId{5};
  const search::Selection choice =
      ExternalChoice(NodeId{7}, "asked for by ana", "islands", own);
  EXPECT_EQ(choice.reason, "asked for by ana; islands takes node 3 x 5: cross");
  EXPECT_FALSE(choice.mate);
}

// Replay makes a choice again by what its reason says.
TEST(ExternalChoiceTest, AReasonIsReadBackWhateverThePolicysHolds) {
  for (const std::string policy :
       {"stark", "python:Mine@01234567", "xei_hint:share=0.5"}) {
    for (const std::string own :
         {"", "best; then stark takes node 9: x", "a; b", "two\nlines"}) {
      const search::Selection choice =
          ExternalChoice(NodeId{7}, "asked for by ana", policy, Own(3, own));
      const auto read = ReadExternalReason(choice.reason);
      ASSERT_TRUE(read) << choice.reason;
      EXPECT_EQ(read->why, "asked for by ana");
      EXPECT_EQ(read->policy, policy);
    }
  }
}

TEST(ExternalChoiceTest, AnotherReasonIsNotOne) {
  for (const char* reason :
       {"", ";", "; ", "exploit: best eligible", "asked for by ana",
        "asked for by ana; stark", "stark takes node 3: best"}) {
    EXPECT_FALSE(ReadExternalReason(reason)) << reason;
  }
}

}  // namespace
}  // namespace coppice::engine
