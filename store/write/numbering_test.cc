#include "store/write/numbering.h"

#include <gtest/gtest.h>

#include "store/connection.h"
#include "store/records/evaluation.h"
#include "store/scratch.h"
#include "store/write/attempts.h"
#include "store/write/nodes.h"

namespace coppice::store {
namespace {

class NumberingTest : public ::testing::Test {
 protected:
  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  Connection& connection_ = database_.connection();
  CampaignId campaign_ = Plant(database_, "a");
};

// One node with an attempt of its own beside the root, which has none, and an
// attempt in flight.
TEST_F(NumberingTest, AttemptsNodesAndFurtherEvaluationsAreCounted) {
  PlantBeside(database_);
  Grow(database_, campaign_, kRootNode);
  Must(Attempts(database_).Reserve(campaign_, ReservationOf(1, NodeId{1})));
  Must(Nodes(database_).AddEvaluation(
      campaign_, NodeId{1}, EvaluationOf(Verdict::kPassed, 1.0), 3000.0));
  const Counts counts = Must(CountsOf(connection_, campaign_));
  EXPECT_EQ(counts.attempts, 2);
  EXPECT_EQ(counts.nodes, 2);
  EXPECT_EQ(counts.further, 1);
}

TEST_F(NumberingTest, OfACampaignThatIsMissingNothingIsCounted) {
  const auto counts = CountsOf(connection_, CampaignId{9});
  ASSERT_FALSE(counts);
  EXPECT_EQ(counts.error().code, Errc::kNotFound);
  EXPECT_TRUE(counts.error().what.ends_with(": campaign 9 is missing"));
}

// The campaign beside has nodes 0, 1 and 2.
TEST_F(NumberingTest, ACampaignHasItsOwnNodes) {
  const CampaignId beside = PlantBeside(database_);
  EXPECT_TRUE(HasNode(connection_, campaign_, kRootNode));
  EXPECT_FALSE(HasNode(connection_, campaign_, NodeId{1}));
  EXPECT_FALSE(HasNode(connection_, campaign_, NodeId{-1}));
  EXPECT_TRUE(HasNode(connection_, beside, NodeId{2}));
  EXPECT_FALSE(HasNode(connection_, beside, NodeId{3}));
}

TEST_F(NumberingTest, OnlyTheNextNumberIsFree) {
  EXPECT_TRUE(CheckNext(connection_, "node 3", 3, 3));
  const Error taken = CheckNext(connection_, "node 2", 2, 3).error();
  EXPECT_EQ(taken.code, Errc::kBusy);
  EXPECT_TRUE(taken.what.ends_with(
      ": node 2 is taken: another process works on this campaign"));
  const Error early = CheckNext(connection_, "decision 4", 4, 3).error();
  EXPECT_EQ(early.code, Errc::kUsage);
  EXPECT_TRUE(early.what.ends_with(": decision 4 is not the next, 3"));
}

}  // namespace
}  // namespace coppice::store
