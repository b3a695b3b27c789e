#include "store/write/model_picks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/care/maintenance.h"
#include "store/read/history.h"
#include "store/read/node_decision.h"
#include "store/read/snapshot.h"
#include "store/records/node.h"
#include "store/scratch.h"

namespace coppice::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

ModelPick PickOf(Role role, const std::string& model) {
  return {role, model, "openai:a,ollama:b", "bandit", "not asked yet"};
}

class ModelPicksTest : public ::testing::Test {
 protected:
  NodeId GrowBy(NodeId parent, const std::string& model,
                std::optional<double> runtime_s) {
    Outcome outcome;
    outcome.runtime_s = runtime_s;
    if (!runtime_s) outcome.verdict = Verdict::kCompileFailed;
    outcome.picks = {PickOf(Role::kCode, model)};
    return Grow(database_, campaign_, parent, outcome);
  }

  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  CampaignId campaign_ = Plant(database_, "c");
};

TEST_F(ModelPicksTest, AnAttemptHasThemAgain) {
  const std::vector<ModelPick> picks = {PickOf(Role::kPlan, "openai:a"),
                                        PickOf(Role::kCode, "ollama:b")};
  Reservation reservation = ReservationOf(0, kRootNode);
  reservation.picks = picks;
  Attempts attempts(database_);
  const AttemptId id = Must(attempts.Reserve(campaign_, reservation));
  EXPECT_EQ(Must(attempts.Load(id)).reservation.picks, picks);
  EXPECT_EQ(Must(ReadAnnals(database_, campaign_)).decisions[0].picks, picks);
  const NodeId node = GrowBy(kRootNode, "ollama:b", 2.0);
  EXPECT_THAT(Must(ReadDecision(database_, campaign_, node))->picks,
              ElementsAre(PickOf(Role::kCode, "ollama:b")));
}

// The call of an attempt in flight was not asked yet, and that of an attempt
// whose plan agent made nothing never was.
TEST_F(ModelPicksTest, WhatItCostIsKnownOnceTheAttemptIsCommitted) {
  GrowBy(kRootNode, "ollama:b", 2.0);
  Outcome repair;
  repair.picks = {PickOf(Role::kDebug, "openai:a")};  // Grow plans and codes.
  Grow(database_, campaign_, kRootNode, repair);
  Reservation reservation = ReservationOf(2, NodeId{1});
  reservation.picks = {PickOf(Role::kCode, "openai:a")};
  Must(Attempts(database_).Reserve(campaign_, reservation));
  const auto asked = Must(ReadAsked(database_, campaign_));
  ASSERT_EQ(asked.size(), 3u);
  EXPECT_EQ(asked[0].model, "ollama:b");
  EXPECT_EQ(asked[0].role, Role::kCode);
  EXPECT_EQ(asked[0].node, NodeId{1});
  EXPECT_EQ(asked[0].answers, 1);
  EXPECT_EQ(asked[0].cost_usd, 0.25);
  EXPECT_EQ(asked[1].node, NodeId{2});
  EXPECT_EQ(asked[1].answers, 0);
  EXPECT_EQ(asked[2].decision, 2);
  EXPECT_EQ(asked[2].parent, NodeId{1});
  EXPECT_EQ(asked[2].node, std::nullopt);
  EXPECT_EQ(asked[2].cost_usd, std::nullopt);
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
}

// The root takes 4 s.  Node 1 (2 s) and node 3 (1 s, a repair of node 2 below
// node 1) both gain 2; node 4 is slower than node 3: its gain is 1/2 and counts
// as 1 in the mean. a has sqrt(2 * 1) = 1.41421, b sqrt(1 * 2).
TEST_F(ModelPicksTest, ScoresAreOfTheGainOnTheNearestThatPasses) {
  GrowBy(kRootNode, "openai:a", 2.0);
  GrowBy(NodeId{1}, "ollama:b", std::nullopt);
  GrowBy(NodeId{2}, "ollama:b", 1.0);
  GrowBy(NodeId{3}, "openai:a", 2.0);
  EXPECT_THAT(
      Rows(database_,
           "SELECT node, model, verdict, gain, cost_usd"
           " FROM model_choices ORDER BY node"),
      ElementsAre("1|openai:a|passed|2|0.25",
                  "2|ollama:b|compile_failed|-|0.25",
                  "3|ollama:b|passed|2|0.25", "4|openai:a|passed|0.5|0.25"));
  EXPECT_THAT(Rows(database_, "SELECT * FROM model_scores ORDER BY model"),
              ElementsAre("c|matmul|code|ollama:b|2|2|1|1|1.41421|2|0.5|0.5",
                          "c|matmul|code|openai:a|2|2|2|1|1.41421|2|0.5|0.5"));
  const auto scores = Must(ReadModelScores(database_, "c"));
  ASSERT_EQ(scores.size(), 2u);
  EXPECT_EQ(scores[0].passed, 1);
  EXPECT_EQ(scores[1].model, "openai:a");
  EXPECT_DOUBLE_EQ(scores[1].cost_usd.value(), 0.5);
  EXPECT_THAT(Must(ReadModelScores(database_, "other")), IsEmpty());
}

TEST_F(ModelPicksTest, TheyCountInTheFingerprint) {
  const std::string before = Must(Fingerprint(database_, campaign_));
  GrowBy(kRootNode, "openai:a", 2.0);
  const std::string of_a = Must(Fingerprint(database_, campaign_));
  EXPECT_NE(of_a, before);
  Change(database_, "UPDATE attempt_model SET model = 'ollama:b'");
  EXPECT_NE(Must(Fingerprint(database_, campaign_)), of_a);
}

TEST_F(ModelPicksTest, DoctorFindsAModelThatWasNotThereToChoose) {
  GrowBy(kRootNode, "openai:a", 2.0);
  Change(database_, "UPDATE attempt_model SET model = 'openai', answers = 2");
  EXPECT_THAT(
      Must(Diagnose(database_)),
      ElementsAre("attempt 1 asks openai, which is none of openai:a,ollama:b",
                  "attempt 1 has other answers of a code agent than its "
                  "calls"));
}

}  // namespace
}  // namespace coppice::store
