#include "store/snapshot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "store/scratch.h"

namespace coppice::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Campaign "a": node 1 on the root, node 2 on 1 (refuted later), and decision 2
// on node 1 in flight.
class SnapshotTest : public ::testing::Test {
 protected:
  SnapshotTest() {
    Grow(database_, campaign_, NodeId{0}, {.runtime_s = 2.0});
    Grow(database_, campaign_, NodeId{1}, {.runtime_s = 1.0});
    Reservation third = ReservationOf(2, NodeId{1});
    third.nodes_seen = 3;
    Must(Attempts(database_).Reserve(campaign_, third));
  }

  void RefuteNode2() {
    Must(Nodes(database_).AddEvaluation(
        campaign_, NodeId{2}, EvaluationOf(Verdict::kCrashed, std::nullopt),
        5000.0));
  }

  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  CampaignId campaign_ = Plant(database_, "a");
};

std::string Line(const Arrival& arrival) {
  return std::to_string(Index(arrival.node.id)) + " " +
         std::string(Name(arrival.node.verdict)) + " of " +
         (arrival.decision ? std::to_string(*arrival.decision) : "nothing");
}

std::vector<std::string> Lines(const std::vector<Arrival>& arrivals) {
  std::vector<std::string> lines;
  for (const Arrival& arrival : arrivals) lines.push_back(Line(arrival));
  return lines;
}

std::vector<std::string> Lines(const std::vector<Decided>& decided) {
  std::vector<std::string> lines;
  for (const Decided& each : decided) {
    lines.push_back(std::to_string(each.decision) + " on " +
                    std::to_string(Index(each.parent)));
  }
  return lines;
}

TEST_F(SnapshotTest, ItIsTheNodesAsTheyCountNowAndWhatIsInFlight) {
  RefuteNode2();
  std::vector<std::string> nodes;
  const Snapshot snapshot =
      Must(ReadSnapshot(database_, campaign_, [&](const NodeSummary& node) {
        nodes.emplace_back(Name(node.verdict));
      }));
  EXPECT_THAT(nodes, ElementsAre("passed", "passed", "crashed"));
  EXPECT_EQ(snapshot.decisions, 3);
  EXPECT_EQ(snapshot.further, 1);
  EXPECT_THAT(Lines(snapshot.in_flight), ElementsAre("2 on 1"));
}

TEST_F(SnapshotTest, GrowthIsWhatIsBeyondWhatIsKnown) {
  const Growth all = Must(ReadGrowth(database_, campaign_, 0, 0));
  EXPECT_THAT(Lines(all.decided), ElementsAre("0 on 0", "1 on 1", "2 on 1"));
  EXPECT_THAT(
      Lines(all.arrivals),
      ElementsAre("0 passed of nothing", "1 passed of 0", "2 passed of 1"));
  const Growth some = Must(ReadGrowth(database_, campaign_, 2, 2));
  EXPECT_THAT(Lines(some.decided), ElementsAre("2 on 1"));
  EXPECT_THAT(Lines(some.arrivals), ElementsAre("2 passed of 1"));
  const Growth none = Must(ReadGrowth(database_, campaign_, 3, 3));
  EXPECT_THAT(none.decided, IsEmpty());
  EXPECT_THAT(none.arrivals, IsEmpty());
}

// Who knows it as passing is told by the count that this may be no more so.
TEST_F(SnapshotTest, GrowthSaysThatOldNodesMayCountForSomethingElse) {
  EXPECT_EQ(Must(ReadGrowth(database_, campaign_, 3, 2)).further, 0);
  RefuteNode2();
  const Growth growth = Must(ReadGrowth(database_, campaign_, 3, 2));
  EXPECT_EQ(growth.further, 1);
  EXPECT_THAT(Lines(growth.arrivals), ElementsAre("2 crashed of 1"));
}

TEST_F(SnapshotTest, AnnalsHoldAllThatDecisionsRestOn) {
  RefuteNode2();
  const Annals annals = Must(ReadAnnals(database_, campaign_));
  ASSERT_EQ(annals.decisions.size(), 3u);
  const DecisionRecord& last = annals.decisions.back();
  EXPECT_EQ(last.decision, 2);
  EXPECT_EQ(last.parent, NodeId{1});
  EXPECT_EQ(last.policy, "stark");
  EXPECT_EQ(last.reason, "exploit: best eligible");
  EXPECT_EQ(last.nodes_seen, 3);
  EXPECT_EQ(last.further_seen, 0);
  EXPECT_EQ(annals.arrivals.size(), 3u);
  EXPECT_EQ(annals.root_runtime_s, 4.0);
  EXPECT_THAT(annals.originals, ElementsAre(kRootNode, NodeId{1}, NodeId{2}));
  ASSERT_EQ(annals.evaluations.size(), 4u);
  EXPECT_EQ(annals.evaluations[2].further, 0);
  EXPECT_EQ(annals.evaluations[2].finding.speedup->ratio, 4.0);
  EXPECT_EQ(annals.evaluations[3].node, NodeId{2});
  EXPECT_EQ(annals.evaluations[3].further, 1);
  EXPECT_EQ(annals.evaluations[3].finding.verdict, Verdict::kCrashed);
}

TEST_F(SnapshotTest, AMissingCampaignIsNamed) {
  const auto growth = ReadGrowth(database_, CampaignId{9}, 0, 0);
  ASSERT_FALSE(growth.has_value());
  EXPECT_EQ(growth.error().code, Errc::kNotFound);
}

}  // namespace
}  // namespace coppice::store
