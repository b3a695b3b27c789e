#include "store/read/decision_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/records/evaluation.h"
#include "store/records/node_summary.h"
#include "store/scratch.h"
#include "store/write/attempts.h"
#include "store/write/nodes.h"

namespace coppice::store {
namespace {

using ::testing::IsEmpty;

class DecisionStateTest : public ::testing::Test {
 protected:
  DecisionState DecisionStateOf(std::int64_t decision) {
    return *Must(ReadDecisionState(database_, campaign_, decision));
  }
  void Update() {
    Add(Must(ReadNews(database_, campaign_, summaries_)), summaries_);
  }
  AttemptId Reserve(std::int64_t decision, std::int64_t nodes_seen) {
    Reservation reservation = ReservationOf(decision, kRootNode);
    reservation.nodes_seen = nodes_seen;
    return Must(Attempts(database_).Reserve(campaign_, reservation));
  }
  void Refute(NodeId node) {
    Must(Nodes(database_).AddEvaluation(
        campaign_, node, EvaluationOf(Verdict::kWrongOutput, std::nullopt),
        2000.0));
  }

  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  CampaignId beside_ = PlantBeside(database_);
  CampaignId campaign_ = Plant(database_, "a");
  Summaries summaries_;
};

TEST_F(DecisionStateTest, ThereIsNoneOfADecisionThatWasNotMade) {
  EXPECT_FALSE(Must(ReadDecisionState(database_, campaign_, 0)));
}

// Decision 1 was made while 0 had no node, and 2 while 1 had none; 0 has node 1
// since, and 1 none yet.
TEST_F(DecisionStateTest, InFlightAreEarlierDecisionsWithoutANodeThatWasSeen) {
  Grow(database_, campaign_, kRootNode);  // Decision 0, node 1.
  Reserve(1, 1);
  Reserve(2, 2);
  const DecisionState first = DecisionStateOf(1);
  ASSERT_EQ(first.in_flight.size(), 1U);
  EXPECT_EQ(first.in_flight[0].decision, 0);
  EXPECT_EQ(first.decision.nodes_seen, 1);
  const DecisionState second = DecisionStateOf(2);
  ASSERT_EQ(second.in_flight.size(), 1U);
  EXPECT_EQ(second.in_flight[0].decision, 1);
}

// Node 1 and node 2 of the same tokens passed when decision 2 saw them.  What
// node 2 brought is a further evaluation of node 1.
TEST_F(DecisionStateTest, WhatWasRefutedLaterPassedThen) {
  const Outcome outcome{.source = "same", .runtime_s = 2.0};
  const NodeId node = Grow(database_, campaign_, kRootNode, outcome);
  Grow(database_, campaign_, kRootNode, outcome);
  Grow(database_, campaign_, kRootNode);  // Decision 2.
  Refute(node);
  const DecisionState decision_state = DecisionStateOf(2);
  ASSERT_EQ(decision_state.otherwise.size(), 2U);
  for (const FormerWorth& former : decision_state.otherwise) {
    EXPECT_EQ(former.worth.verdict, Verdict::kPassed);
    EXPECT_EQ(former.worth.speedup->ratio, 2.0);  // 4 s over 2 s.
  }
  EXPECT_THAT(DecisionStateOf(0).otherwise, IsEmpty());  // It saw neither.
}

// Decision 1 saw that node 1 passed.  The decision state that was read before
// it was refuted does not say so, and the summaries do no longer.
TEST_F(DecisionStateTest, ASceneThatIsOlderThanTheSummariesIsKnownByIt) {
  const NodeId node = Grow(database_, campaign_, kRootNode, {.runtime_s = 2.0});
  Grow(database_, campaign_, kRootNode);
  const DecisionState early = DecisionStateOf(1);
  Update();
  EXPECT_LE(summaries_.newest, early.further);
  Refute(node);
  Update();
  EXPECT_EQ(summaries_.nodes[1].verdict, Verdict::kWrongOutput);
  EXPECT_THAT(early.otherwise, IsEmpty());
  EXPECT_GT(summaries_.newest, early.further);
  const DecisionState late = DecisionStateOf(1);
  EXPECT_EQ(late.otherwise.size(), 1U);
  EXPECT_LE(summaries_.newest, late.further);
}

TEST_F(DecisionStateTest, SummariesGrowAndAreBroughtUpToDate) {
  const NodeId node = Grow(database_, campaign_, kRootNode, {.runtime_s = 2.0});
  Update();
  ASSERT_EQ(summaries_.nodes.size(), 2U);
  EXPECT_EQ(summaries_.nodes[1].verdict, Verdict::kPassed);
  EXPECT_EQ(summaries_.nodes[1].runtime_s, 2.0);
  Refute(node);
  Grow(database_, campaign_, node);
  Update();
  ASSERT_EQ(summaries_.nodes.size(), 3U);
  EXPECT_EQ(summaries_.nodes[1].verdict, Verdict::kWrongOutput);
  EXPECT_EQ(summaries_.nodes[2].parent, node);
  // As the nodes themselves are read.
  std::vector<NodeSummary> scanned;
  Must(Nodes(database_).Scan(
      campaign_, [&](const NodeSummary& each) { scanned.push_back(each); }));
  for (std::size_t i = 0; i < scanned.size(); ++i) {
    EXPECT_EQ(summaries_.nodes[i].kernel_hash, scanned[i].kernel_hash);
    EXPECT_EQ(summaries_.nodes[i].runtime_s, scanned[i].runtime_s);
    EXPECT_EQ(summaries_.nodes[i].log_hint, scanned[i].log_hint);
  }
}

// So that who asks again and again is told of each change once.
TEST_F(DecisionStateTest, WhatIsKnownIsNoNews) {
  const auto is_none = [&] {
    return Must(ReadNews(database_, campaign_, summaries_)).is_none;
  };
  EXPECT_FALSE(is_none());
  Update();
  EXPECT_TRUE(is_none());
  const NodeId node = Grow(database_, campaign_, kRootNode);
  EXPECT_FALSE(is_none());
  Update();
  EXPECT_TRUE(is_none());
  Refute(node);
  const SummaryNews news = Must(ReadNews(database_, campaign_, summaries_));
  EXPECT_FALSE(news.is_none);
  ASSERT_EQ(news.changed.size(), 1U);
  EXPECT_EQ(news.changed[0].id, node);
  Update();
  EXPECT_TRUE(is_none());
  EXPECT_EQ(summaries_.further, 1);
  // What happens to another campaign is none of it.
  Grow(database_, beside_, kRootNode);
  EXPECT_TRUE(is_none());
}

}  // namespace
}  // namespace coppice::store
