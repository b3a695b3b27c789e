#include "store/write/claims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/care/maintenance.h"
#include "store/records/node.h"
#include "store/scratch.h"

namespace coppice::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Claim ClaimOf(const std::string& source, const std::string& origin,
              std::optional<double> speedup = std::nullopt) {
  return {.candidate = {Language::kCpp, source, "run"},
          .origin = origin,
          .speedup = speedup};
}

// Campaign "a" has a root, one attempt and its node.
class ClaimsTest : public ::testing::Test {
 protected:
  ClaimsTest() { Grow(database_, a_, kRootNode); }

  std::string Submit(const std::vector<Claim>& claims, Judging judging) {
    const Intake intake =
        Must(SubmitClaims(database_, a_, claims, judging, NextUuid, 2000.0));
    return std::to_string(intake.claims) + " new, " +
           std::to_string(intake.attempts) + " to judge, " +
           std::to_string(intake.duplicates) + " known";
  }

  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  CampaignId a_ = Plant(database_, "a");
};

TEST_F(ClaimsTest, AnAttemptIsCodedAndNobodys) {
  EXPECT_EQ(Submit({ClaimOf("fast", "list.json:1", 2.75), ClaimOf("x", "y:2")},
                   Judging::kByAttempt),
            "2 new, 2 to judge, 0 known");
  EXPECT_THAT(
      Rows(database_,
           "SELECT decision, parent, policy, reason, stage, language,"
           " lease_owner, lease_until_s, nodes_seen, blob_text(source_blob)"
           " FROM attempts WHERE policy = 'import'"),
      ElementsAre(
          "1|0|import|list.json:1, said to be 2.75x|coded|cpp||2000|2|fast",
          "2|0|import|y:2|coded|cpp||2000|2|x"));
  // 100 were allowed before.
  EXPECT_THAT(
      Rows(database_, "SELECT attempts, budget_attempts FROM campaigns"),
      ElementsAre("3|102"));
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
}

// What is claimed never shows as measured.
TEST_F(ClaimsTest, WhatIsJudgedHasBothNumbers) {
  Submit({ClaimOf("fast", "list.json:1", 9.0)}, Judging::kByAttempt);
  const char* claims =
      "SELECT origin, claimed_speedup, claimed_runtime_s, decision, node,"
      " verdict, speedup FROM claims";
  EXPECT_THAT(Rows(database_, claims), ElementsAre("list.json:1|9|-|1|-|-|-"));
  const AttemptRecord attempt = Must(Attempts(database_).Unfinished(a_)).at(0);
  NodeRecord node = RootNode("fast");
  node.id = NodeId{2};
  node.parent = kRootNode;
  node.evaluation = EvaluationOf(Verdict::kPassed, 2.0);
  Must(Nodes(database_).Commit(a_, attempt.id, node, 2001.0));
  EXPECT_THAT(Rows(database_, claims),
              ElementsAre("list.json:1|9|-|1|2|passed|2"));
}

TEST_F(ClaimsTest, ASourceCountsOnce) {
  EXPECT_EQ(Submit({ClaimOf("s", "a:1", 2.0), ClaimOf("s", "a:2", 3.0)},
                   Judging::kLater),
            "1 new, 0 to judge, 1 known");
  EXPECT_THAT(Rows(database_, "SELECT origin, claimed_speedup FROM claims"),
              ElementsAre("a:1|2"));
}

TEST_F(ClaimsTest, WhatWasKeptCanBeJudgedLaterAndOnlyOnce) {
  const std::vector<Claim> claims = {ClaimOf("s", "a:1")};
  EXPECT_EQ(Submit(claims, Judging::kLater), "1 new, 0 to judge, 0 known");
  EXPECT_THAT(Rows(database_, "SELECT decision, node FROM claims"),
              ElementsAre("-|-"));
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
  EXPECT_EQ(Submit(claims, Judging::kByAttempt), "0 new, 1 to judge, 0 known");
  EXPECT_EQ(Submit(claims, Judging::kByAttempt), "0 new, 0 to judge, 1 known");
  EXPECT_EQ(Submit(claims, Judging::kLater), "0 new, 0 to judge, 1 known");
}

TEST_F(ClaimsTest, AttemptsNeedAMeasuredRoot) {
  const CampaignId bare = Must(Campaigns(database_).Create(SpecNamed("bare")));
  const std::vector<Claim> claims = {ClaimOf("s", "a:1")};
  const auto refused = SubmitClaims(database_, bare, claims,
                                    Judging::kByAttempt, NextUuid, 2000.0);
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().what, HasSubstr("the root was not measured yet"));
  EXPECT_THAT(Rows(database_, "SELECT * FROM claims"), IsEmpty());
  EXPECT_EQ(Must(SubmitClaims(database_, bare, claims, Judging::kLater,
                              NextUuid, 2000.0))
                .claims,
            1);
}

TEST_F(ClaimsTest, WhatWasSaidIsReadBesideWhatCameOfIt) {
  Claim slow = ClaimOf("slow", "list.json:2");
  slow.runtime_s = 0.5;
  Submit({ClaimOf("fast", "list.json:1", 9.0), slow}, Judging::kByAttempt);
  NodeRecord node = RootNode("fast");
  node.id = NodeId{2};
  node.parent = kRootNode;
  node.evaluation = EvaluationOf(Verdict::kPassed, 2.0);
  Must(Nodes(database_).Commit(
      a_, Must(Attempts(database_).Unfinished(a_)).at(0).id, node, 2001.0));
  const auto lines = Must(ReadClaims(database_, a_));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].origin, "list.json:1");
  EXPECT_EQ(lines[0].claimed_speedup, 9.0);
  EXPECT_EQ(lines[0].node, NodeId{2});
  EXPECT_EQ(lines[0].verdict, Verdict::kPassed);
  EXPECT_EQ(lines[0].speedup->ratio, 2.0);
  EXPECT_EQ(lines[1].claimed_runtime_s, 0.5);
  EXPECT_FALSE(lines[1].verdict.has_value());
}

TEST_F(ClaimsTest, WhoSubmittedItIsTold) {
  Claim claim = ClaimOf("fast", "mine.cc");
  claim.author = "Ann";
  const Intake intake =
      Must(SubmitClaims(database_, a_, {ClaimOf("x", "y:1"), claim},
                        Judging::kByAttempt, NextUuid, 2000.0));
  ASSERT_EQ(intake.ids.size(), 2u);
  const ClaimLine line = Must(ReadClaim(database_, a_, intake.ids[1]));
  EXPECT_EQ(line.origin, "mine.cc");
  EXPECT_EQ(line.author, "Ann");
  EXPECT_EQ(Must(ReadClaim(database_, a_, intake.ids[0])).author, "");
  EXPECT_THAT(Rows(database_, "SELECT origin, author FROM claims"),
              ElementsAre("y:1|-", "mine.cc|Ann"));
  EXPECT_THAT(
      Rows(database_, "SELECT reason FROM attempts WHERE policy = 'import'"),
      ElementsAre("y:1", "mine.cc, by Ann"));
  // The same source by another is known, and stays whose it was.
  claim.author = "Bob";
  EXPECT_EQ(Must(SubmitClaims(database_, a_, {claim}, Judging::kByAttempt,
                              NextUuid, 2001.0))
                .ids,
            std::vector{intake.ids[1]});
  EXPECT_EQ(Must(ReadClaim(database_, a_, intake.ids[1])).author, "Ann");
  EXPECT_FALSE(ReadClaim(database_, a_, 99).has_value());
}

TEST_F(ClaimsTest, NodesAndLeadersTellOfAuthorAndOrigin) {
  Claim claim = ClaimOf("fast", "mine.cc");
  claim.author = "Ann";
  Must(SubmitClaims(database_, a_, {claim}, Judging::kByAttempt, NextUuid,
                    2000.0));
  NodeRecord node = RootNode("fast");
  node.id = NodeId{2};
  node.parent = kRootNode;
  node.evaluation = EvaluationOf(Verdict::kPassed, 0.5);
  Must(Nodes(database_).Commit(
      a_, Must(Attempts(database_).Unfinished(a_)).at(0).id, node, 2001.0));
  EXPECT_THAT(
      Rows(database_, "SELECT node, origin, author FROM nodes ORDER BY node"),
      ElementsAre("0|-|-", "1|-|-", "2|mine.cc|Ann"));
  EXPECT_THAT(Rows(database_,
                   "SELECT rank, node, origin, author FROM leaderboard"
                   " ORDER BY rank LIMIT 1"),
              ElementsAre("1|2|mine.cc|Ann"));
}

TEST_F(ClaimsTest, AFinishedCampaignIsToBeResumedForIt) {
  const auto state = [&] {
    return Rows(database_, "SELECT state FROM campaigns").front();
  };
  Must(Campaigns(database_).Update(a_, CampaignState::kFinished, 1.0, 1500.0));
  Submit({ClaimOf("s", "a:1")}, Judging::kLater);
  EXPECT_EQ(state(), "finished");
  Submit({ClaimOf("s", "a:1")}, Judging::kByAttempt);
  EXPECT_EQ(state(), "paused");
}

// All or none: the second has a runtime that no call can have.
TEST_F(ClaimsTest, OneThatCannotBeStoredUndoesAll) {
  Claim wrong = ClaimOf("t", "a:2");
  wrong.runtime_s = -1.0;
  EXPECT_FALSE(SubmitClaims(database_, a_, {ClaimOf("s", "a:1"), wrong},
                            Judging::kByAttempt, NextUuid, 2000.0)
                   .has_value());
  EXPECT_THAT(Rows(database_,
                   "SELECT attempts, (SELECT count(*) FROM claims)"
                   " FROM campaigns"),
              ElementsAre("1|0"));
}

}  // namespace
}  // namespace coppice::store
