#include "store/write/attempts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/records/node.h"
#include "store/scratch.h"

namespace coppice::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class AttemptsTest : public ::testing::Test {
 protected:
  AttemptId Reserve(std::int64_t decision) {
    return Must(
        attempts_.Reserve(campaign_, ReservationOf(decision, kRootNode)));
  }

  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  CampaignId campaign_ = Plant(database_, "a");
  Attempts attempts_{database_};
  Calls calls_{database_};
};

TEST_F(AttemptsTest, AReservationIsUnfinishedWorkAndCounts) {
  const Reservation reservation = ReservationOf(0, kRootNode);
  const AttemptId id = Must(attempts_.Reserve(campaign_, reservation));
  const auto unfinished = Must(attempts_.Unfinished(campaign_));
  ASSERT_EQ(unfinished.size(), 1u);
  EXPECT_EQ(unfinished[0].id, id);
  EXPECT_EQ(unfinished[0].stage, Stage::kReserved);
  const Reservation& read = unfinished[0].reservation;
  EXPECT_EQ(read.uuid, reservation.uuid);
  EXPECT_EQ(read.decision, 0);
  EXPECT_EQ(read.parent, kRootNode);
  EXPECT_EQ(read.policy, "stark");
  EXPECT_EQ(read.reason, "exploit: best eligible");
  EXPECT_EQ(read.lease_owner, "worker");
  EXPECT_EQ(read.lease_until_s, 2000.0);
  EXPECT_EQ(read.reserved_at_s, 1000.0);
  EXPECT_FALSE(unfinished[0].plan.has_value());
  EXPECT_FALSE(unfinished[0].candidate.has_value());
  EXPECT_EQ(Must(Campaigns(database_).List())[0].attempts, 1);
}

TEST_F(AttemptsTest, ADecisionIsTakenOnce) {
  Reserve(0);
  const auto again = attempts_.Reserve(campaign_, ReservationOf(0, kRootNode));
  ASSERT_FALSE(again.has_value());
  EXPECT_EQ(again.error().code, Errc::kBusy);
  EXPECT_THAT(again.error().what, HasSubstr("decision 0 is taken"));
}

// Its budget was raised, and an outside agent goes on: `resume` must find it.
TEST_F(AttemptsTest, AFinishedCampaignHasSomethingToResume) {
  Must(Campaigns(database_).Update(campaign_, CampaignState::kFinished, 1.0,
                                   1500.0));
  Reserve(0);
  EXPECT_EQ(Must(Campaigns(database_).List())[0].state, CampaignState::kPaused);
}

TEST_F(AttemptsTest, DecisionsHaveNoGaps) {
  EXPECT_EQ(
      attempts_.Reserve(campaign_, ReservationOf(1, kRootNode)).error().code,
      Errc::kUsage);
}

TEST_F(AttemptsTest, TheParentAndTheCampaignMustExist) {
  const auto orphan = attempts_.Reserve(campaign_, ReservationOf(0, NodeId{3}));
  ASSERT_FALSE(orphan.has_value());
  EXPECT_EQ(orphan.error().code, Errc::kUsage);
  EXPECT_THAT(orphan.error().what, HasSubstr("parent node 3 does not exist"));
  EXPECT_EQ(attempts_.Reserve(CampaignId{9}, ReservationOf(0, kRootNode))
                .error()
                .code,
            Errc::kNotFound);
  EXPECT_EQ(Must(Campaigns(database_).List())[0].attempts, 0);
}

// One file, two processes: who reserves first has the decision.
TEST_F(AttemptsTest, TwoProcessesNeverShareADecision) {
  Database other =
      Must(Database::Open(directory_.File("x.db"), Access::kReadWrite));
  Must(Attempts(other).Reserve(campaign_, ReservationOf(0, kRootNode)));
  EXPECT_EQ(
      attempts_.Reserve(campaign_, ReservationOf(0, kRootNode)).error().code,
      Errc::kBusy);
  Reserve(1);
}

TEST_F(AttemptsTest, UnfinishedGivesAllThatWasAchieved) {
  const AttemptId reserved = Reserve(0);
  const AttemptId planned = Reserve(1);
  const AttemptId coded = Reserve(2);
  const AttemptId empty = Reserve(3);
  const Plan plan{"unroll by 4", "unroll", "<<<IMPROVE BEGIN>>>", 1, true};
  const Candidate candidate{Language::kCuda, "__global__ void f()", "f"};
  const auto begin = [this](AttemptId id, Role role) {
    return Must(calls_.Begin(id, IntentOf(role), {}));
  };
  Must(calls_.EndWithPlan(begin(planned, Role::kPlan), AnswerOf("p"), plan));
  Must(calls_.EndWithCandidate(begin(coded, Role::kDebug), AnswerOf("c"),
                               candidate, {5, 2}));
  Must(calls_.EndWithoutCandidate(begin(empty, Role::kPlan), AnswerOf("?"),
                                  "no anchors"));

  const auto unfinished = Must(attempts_.Unfinished(campaign_));
  ASSERT_EQ(unfinished.size(), 4u);
  EXPECT_EQ(unfinished[0].id, reserved);
  EXPECT_EQ(unfinished[1].stage, Stage::kPlanned);
  EXPECT_EQ(unfinished[1].plan.value().advice, "unroll by 4");
  EXPECT_EQ(unfinished[1].plan.value().technique, "unroll");
  EXPECT_EQ(unfinished[1].plan.value().annotated_source, "<<<IMPROVE BEGIN>>>");
  EXPECT_EQ(unfinished[1].plan.value().anchors, 1);
  EXPECT_TRUE(unfinished[1].plan.value().grounded);
  EXPECT_EQ(unfinished[2].stage, Stage::kCoded);
  EXPECT_FALSE(unfinished[2].plan.has_value());
  EXPECT_EQ(unfinished[2].candidate.value().source, candidate.source);
  EXPECT_EQ(unfinished[2].candidate.value().language, Language::kCuda);
  EXPECT_EQ(unfinished[2].candidate.value().entry_symbol, "f");
  EXPECT_EQ(unfinished[2].footprint.changed_inside, 5);
  EXPECT_EQ(unfinished[2].footprint.changed_outside, 2);
  EXPECT_EQ(unfinished[3].stage, Stage::kCoded);
  EXPECT_FALSE(unfinished[3].candidate.has_value());
  EXPECT_EQ(unfinished[3].no_candidate_reason, "no anchors");
}

TEST_F(AttemptsTest, ACommittedAttemptIsFinished) {
  Grow(database_, campaign_, kRootNode);
  EXPECT_TRUE(Must(attempts_.Unfinished(campaign_)).empty());
}

TEST_F(AttemptsTest, OnlyARunOutLeaseMayBeAdopted) {
  const AttemptId id = Reserve(0);  // Of "worker", until 2000.
  const auto alive = attempts_.Adopt(id, "other", 1999.0, 3000.0);
  ASSERT_FALSE(alive.has_value());
  EXPECT_EQ(alive.error().code, Errc::kBusy);
  EXPECT_THAT(alive.error().what, HasSubstr("is held by worker"));
  Must(attempts_.Adopt(id, "other", 2000.0, 3000.0));
  const auto unfinished = Must(attempts_.Unfinished(campaign_));
  EXPECT_EQ(unfinished[0].reservation.lease_owner, "other");
  EXPECT_EQ(unfinished[0].reservation.lease_until_s, 3000.0);
  EXPECT_THAT(Rows(database_,
                   "SELECT kind, subject, detail FROM event"
                   " WHERE kind = 'adopted'"),
              ElementsAre("adopted|0|other"));
}

TEST_F(AttemptsTest, OneMayAdoptOnesOwnAtAnyTime) {
  const AttemptId id = Reserve(0);
  Must(attempts_.Adopt(id, "worker", 1500.0, 2500.0));
}

// Its lease would run until 2000.
TEST_F(AttemptsTest, ADeadProcessHoldsNoLease) {
  const AttemptId id = Reserve(0);
  Must(calls_.Begin(id, IntentOf(Role::kPlan), {}));
  Must(attempts_.Adopt(id, "other", 1500.0, 2500.0, "worker"));
  EXPECT_THAT(Rows(database_, "SELECT outcome, ended_at_s FROM calls"),
              ElementsAre("outcome_unknown|1500"));
  EXPECT_THAT(
      Rows(database_, "SELECT at_s, detail FROM event WHERE kind = 'adopted'"),
      ElementsAre("1500|other"));
}

TEST_F(AttemptsTest, OfTwoAdoptersOneWins) {
  const AttemptId id = Reserve(0);
  Database other =
      Must(Database::Open(directory_.File("x.db"), Access::kReadWrite));
  Must(Attempts(other).Adopt(id, "second", 2001.0, 3000.0));
  EXPECT_EQ(attempts_.Adopt(id, "third", 2001.0, 3000.0).error().code,
            Errc::kBusy);
}

TEST_F(AttemptsTest, OfTwoWhoFoundItsHolderDeadOneWins) {
  const AttemptId id = Reserve(0);  // Of "worker", until 2000.
  Must(attempts_.Adopt(id, "second", 1500.0, 2500.0, "worker"));
  EXPECT_EQ(attempts_.Adopt(id, "third", 1500.0, 2500.0, "worker").error().code,
            Errc::kBusy);
  EXPECT_EQ(Must(attempts_.Load(id)).reservation.lease_owner, "second");
}

// Each adoption is another epoch, even one by who held it before: a thread of
// the same process may still be at work in an earlier one.
TEST_F(AttemptsTest, WhoHeldAnAttemptBeforeItsAdoptionHasLostIt) {
  const AttemptId id = Reserve(0);
  const Candidate candidate{Language::kCpp, "kernel", "run"};
  EXPECT_EQ(Must(attempts_.Load(id)).epoch, 0);
  EXPECT_EQ(Must(attempts_.Adopt(id, "other", 2000.0, 3000.0)).epoch, 1);
  EXPECT_EQ(Must(attempts_.Adopt(id, "other", 2000.0, 3000.0)).epoch, 2);
  for (const Holding& before : {Holding(id), Holding(id, 1)}) {
    const auto given = attempts_.GiveCandidate(before, candidate);
    ASSERT_FALSE(given.has_value());
    EXPECT_EQ(given.error().code, Errc::kLost);
    EXPECT_THAT(given.error().what,
                HasSubstr("attempt 1 was taken over by another process"));
  }
  Must(attempts_.GiveCandidate({id, 2}, candidate));
}

TEST_F(AttemptsTest, AdoptionGivesUpUnansweredCalls) {
  const AttemptId id = Reserve(0);
  const CallId lost = Must(calls_.Begin(id, IntentOf(Role::kPlan), {}));
  Must(attempts_.Adopt(id, "other", 2000.0, 3000.0));
  EXPECT_THAT(Rows(database_, "SELECT outcome, ended_at_s FROM calls"),
              ElementsAre("outcome_unknown|2000"));
  // Its first owner comes back from a long sleep with the answer.
  EXPECT_EQ(calls_.End(lost, AnswerOf("late")).error().code, Errc::kLost);
  EXPECT_THAT(Rows(database_, "SELECT outcome, error, ended_at_s FROM calls"),
              ElementsAre("outcome_unknown|answered after its attempt was taken"
                          " over|2000"));
}

TEST_F(AttemptsTest, FinishedAndMissingAttemptsCannotBeAdopted) {
  Grow(database_, campaign_, kRootNode);
  EXPECT_EQ(attempts_.Adopt(AttemptId{1}, "o", 9e9, 9e9).error().code,
            Errc::kBusy);
  EXPECT_EQ(attempts_.Adopt(AttemptId{7}, "o", 9e9, 9e9).error().code,
            Errc::kNotFound);
}

TEST_F(AttemptsTest, RenewingMovesOnlyOnesOwnLeases) {
  Reserve(0);
  Reservation foreign = ReservationOf(1, kRootNode);
  foreign.lease_owner = "other";
  Must(attempts_.Reserve(campaign_, foreign));
  Must(attempts_.RenewLeases(campaign_, "worker", 5000.0));
  EXPECT_THAT(
      Rows(database_, "SELECT lease_owner, lease_until_s FROM attempts"),
      ElementsAre("worker|5000", "other|2000"));
}

// Another campaign's are left out, and so is what is finished.
TEST_F(AttemptsTest, LeasesAreOfUnfinishedAttemptsByDecision) {
  const CampaignId other = Plant(database_, "b");
  Must(attempts_.Reserve(other, ReservationOf(0, kRootNode)));
  Grow(database_, campaign_, kRootNode);
  const AttemptId second = Reserve(1);
  const AttemptId third = Reserve(2);
  Must(calls_.EndWithoutCandidate(
      Must(calls_.Begin(third, IntentOf(Role::kPlan), {})), AnswerOf("?"),
      "none"));
  const auto leases = Must(attempts_.Leases(campaign_));
  ASSERT_EQ(leases.size(), 2u);
  EXPECT_EQ(leases[0].attempt, second);
  EXPECT_EQ(leases[0].decision, 1);
  EXPECT_EQ(leases[0].owner, "worker");
  EXPECT_EQ(leases[0].until_s, 2000.0);
  EXPECT_EQ(leases[0].stage, Stage::kReserved);
  EXPECT_EQ(leases[1].attempt, third);
  EXPECT_EQ(leases[1].stage, Stage::kCoded);
}

// Who hands it over stays in its epoch; who lets it go ends that.
TEST_F(AttemptsTest, AnAttemptIsHandedOverOrLetGo) {
  const AttemptId id = Reserve(0);
  Reserve(1);
  Must(attempts_.HandOver(Holding(id), "next", 3000.0));
  const auto leases = [this] {
    return Rows(database_,
                "SELECT lease_owner, lease_until_s, epoch"
                " FROM attempt ORDER BY decision");
  };
  EXPECT_THAT(leases(), ElementsAre("next|3000|0", "worker|2000|0"));
  EXPECT_EQ(attempts_.HandOver({id, 1}, "x", 1.0).error().code, Errc::kLost);
  EXPECT_EQ(attempts_.HandOver(Holding(AttemptId{9}), "x", 1.0).error().code,
            Errc::kNotFound);
  Must(attempts_.Release(Holding(id), 1500.0));
  EXPECT_THAT(leases(), ElementsAre("|1500|1", "worker|2000|0"));
  EXPECT_EQ(attempts_.Release(Holding(id), 1500.0).error().code, Errc::kLost);
}

// There is no lease of what has its node: its row says who worked on it.
TEST_F(AttemptsTest, WhatIsCommittedKeepsWhoCommittedIt) {
  Grow(database_, campaign_, kRootNode);
  const Holding held(AttemptId{1});
  const auto lease = [this] {
    return Rows(database_, "SELECT lease_owner, lease_until_s FROM attempt");
  };
  Must(attempts_.HandOver(held, "next", 3000.0));
  EXPECT_THAT(lease(), ElementsAre("worker|2000"));
  Must(attempts_.RenewLeases(campaign_, "worker", 4000.0));
  EXPECT_THAT(lease(), ElementsAre("worker|2000"));
  Must(attempts_.Release(held, 1500.0));
  EXPECT_THAT(lease(), ElementsAre("worker|2000"));
  EXPECT_EQ(attempts_.Adopt(AttemptId{1}, "x", 9000.0, 9999.0).error().code,
            Errc::kBusy);
}

TEST_F(AttemptsTest, ACandidateIsGivenToWhatIsReservedOnly) {
  const Candidate candidate{Language::kCpp, "kernel", "run"};
  const AttemptId id = Reserve(0);
  Reserve(1);
  Must(attempts_.GiveCandidate(Holding(id), candidate));
  EXPECT_THAT(Rows(database_, "SELECT stage FROM attempts ORDER BY decision"),
              ElementsAre("coded", "reserved"));
  EXPECT_EQ(Must(attempts_.Load(id)).candidate->source, "kernel");
  EXPECT_EQ(attempts_.GiveCandidate(Holding(id), candidate).error().code,
            Errc::kUsage);
  EXPECT_EQ(
      attempts_.GiveCandidate(Holding(AttemptId{9}), candidate).error().code,
      Errc::kNotFound);
  EXPECT_EQ(attempts_.Load(AttemptId{9}).error().code, Errc::kNotFound);
}

TEST_F(AttemptsTest, AReservationKeepsWhatItsPolicySaw) {
  Grow(database_, campaign_, kRootNode);
  Reservation reservation = ReservationOf(1, kRootNode);
  reservation.nodes_seen = 2;
  reservation.further_seen = 3;
  reservation.attempts_left = 4;
  reservation.mate = NodeId{1};
  const AttemptId id = Must(attempts_.Reserve(campaign_, reservation));
  const Reservation read = Must(attempts_.Load(id)).reservation;
  EXPECT_EQ(read.nodes_seen, 2);
  EXPECT_EQ(read.further_seen, 3);
  EXPECT_EQ(read.attempts_left, 4);
  EXPECT_EQ(read.mate, NodeId{1});
  EXPECT_EQ(read.directive, std::nullopt);
  EXPECT_FALSE(read.is_inserted);
}

// Those of another campaign, and finished ones, stay as they are.
TEST_F(AttemptsTest, RenewingTouchesNoOtherCampaignAndNothingFinished) {
  Grow(database_, campaign_, kRootNode);
  const CampaignId other = Plant(database_, "b");
  Must(attempts_.Reserve(other, ReservationOf(0, kRootNode)));
  Must(attempts_.RenewLeases(campaign_, "worker", 5000.0));
  EXPECT_THAT(Rows(database_, "SELECT lease_until_s FROM attempt"),
              ElementsAre("2000", "2000"));
}

TEST_F(AttemptsTest, AParentIsOfTheSameCampaign) {
  Grow(database_, Plant(database_, "b"), kRootNode);
  EXPECT_EQ(
      attempts_.Reserve(campaign_, ReservationOf(0, NodeId{1})).error().code,
      Errc::kUsage);
}

}  // namespace
}  // namespace coppice::store
