#include "store/read/snapshot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "store/care/maintenance.h"
#include "store/scratch.h"

namespace coppice::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
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
  Database CopyAfter(const std::string& sql) {
    const auto path =
        directory_.File("copy" + std::to_string(++copies_) + ".db");
    Must(Backup(database_, path));
    Damage(path, sql);
    return Must(Database::Open(path, Access::kReadOnly));
  }
  static void ExpectCorrupt(const Result<Annals>& annals,
                            const std::string& what) {
    ASSERT_FALSE(annals.has_value()) << what;
    EXPECT_EQ(annals.error().code, Errc::kCorrupt);
    EXPECT_THAT(annals.error().what, HasSubstr(what));
  }

  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  CampaignId beside_ = PlantBeside(database_);
  CampaignId campaign_ = Plant(database_, "a");
  int copies_ = 0;
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
  EXPECT_EQ(last.attempts_left, std::nullopt);
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

// All that a search and its replay count on.
TEST_F(SnapshotTest, NoDamageReachesWhoSearches) {
  const auto expect = [&](const std::string& sql, const std::string& what) {
    Database damaged = CopyAfter(sql);
    ExpectCorrupt(ReadAnnals(damaged, campaign_), what);
    const auto snapshot =
        ReadSnapshot(damaged, campaign_, [](const NodeSummary&) {});
    const auto growth = ReadGrowth(damaged, campaign_, 0, 0);
    EXPECT_FALSE(snapshot.has_value() && growth.has_value()) << sql;
  };
  expect("UPDATE node SET number = 9 WHERE number = 2",
         "node 9 comes where node 2 must");
  expect("UPDATE node SET verdict = 99 WHERE number = 2",
         "node 2 has verdict 99, which is none");
  expect("UPDATE node SET speedup = NULL WHERE number = 2",
         "node 2 has no seconds that could be");
  expect("UPDATE node SET speedup = 9e999 WHERE number = 2",
         "node 2 has no seconds that could be");
  expect("UPDATE campaign SET root_runtime_s = NULL",
         "node 0 has no seconds that could be");
  expect("UPDATE node SET verdict = 2 WHERE number = 2",
         "node 2 has seconds but does not pass");
  expect("UPDATE attempt SET parent_number = 3 WHERE decision = 2",
         "decision 2 has parent 3, but there are 3 nodes");
  expect("UPDATE attempt SET parent_number = -1 WHERE decision = 2",
         "decision 2 has parent -1, but there are 3 nodes");
}

TEST_F(SnapshotTest, AnnalsAreWhole) {
  const auto expect = [&](const std::string& sql, const std::string& what) {
    Database damaged = CopyAfter(sql);
    ExpectCorrupt(ReadAnnals(damaged, campaign_), what);
  };
  expect("UPDATE attempt SET decision = 7 WHERE decision = 2",
         "decision 7 comes where decision 2 must");
  expect(
      "UPDATE evaluation SET further = 1 WHERE node_number = 1"
      " AND campaign_id = 2",
      "node 1 has no evaluation that it was committed with");
  expect("UPDATE node SET same_as = 8 WHERE number = 2", "there is no node 8");
}

TEST_F(SnapshotTest, AMissingCampaignIsNamed) {
  const auto growth = ReadGrowth(database_, CampaignId{9}, 0, 0);
  ASSERT_FALSE(growth.has_value());
  EXPECT_EQ(growth.error().code, Errc::kNotFound);
}

}  // namespace
}  // namespace coppice::store
