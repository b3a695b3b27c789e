#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/maintenance.h"
#include "store/scratch.h"
#include "store/wire_calls.h"

namespace coppice::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Result<bool> AllAreDead(const std::string&) { return false; }
Result<bool> AllAreAlive(const std::string&) { return true; }

// One node, and an attempt of "worker" whose call is on the wire.
class RepairTest : public ::testing::Test {
 protected:
  RepairTest() {
    Grow(database_, campaign_, kRootNode, {.runtime_s = 2.0});
    attempt_ = Must(
        Attempts(database_).Reserve(campaign_, ReservationOf(1, NodeId{1})));
    call_ = Must(calls_.Begin(attempt_, IntentOf(Role::kPlan), {}));
    WireIntent intent;
    intent.request = "{}";
    intent.input_tokens_bound = 100;
    intent.output_tokens_bound = 900;
    intent.cost_usd_bound = 2.0;
    intent.sent_at_s = 1000.0;
    Must(WireCalls(database_).Begin(call_, intent, {}));
  }
  std::vector<std::string> After(const std::string& sql) {
    Damage(directory_.File("x.db"), sql);
    return Must(Repair(database_, 5000.0, AllAreAlive));
  }
  std::vector<std::string> Outcomes() {
    return Rows(database_,
                "SELECT c.outcome, w.outcome FROM calls c"
                " JOIN wire_calls w USING (call_id)");
  }

  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  CampaignId campaign_ = Plant(database_, "a");
  Calls calls_{database_};
  AttemptId attempt_{};
  CallId call_{};
};

TEST_F(RepairTest, NothingIsDoneToASoundFileWhoseProcessesLive) {
  const std::string before = Must(Fingerprint(database_, campaign_));
  EXPECT_THAT(Must(Repair(database_, 5000.0, AllAreAlive)), IsEmpty());
  EXPECT_THAT(Outcomes(), ElementsAre("sent|sent"));
  EXPECT_EQ(Must(Fingerprint(database_, campaign_)), before);
}

TEST_F(RepairTest, WhatADeadProcessSentIsOfUnknownOutcomeAndItsAttemptLost) {
  EXPECT_THAT(Must(Repair(database_, 5000.0, AllAreDead)),
              ElementsAre("attempt 2 has a call that died with its process"));
  EXPECT_THAT(Outcomes(), ElementsAre("outcome_unknown|outcome_unknown"));
  EXPECT_EQ(calls_.End(call_, AnswerOf("late")).error().code, Errc::kLost);
  EXPECT_THAT(Must(Repair(database_, 5000.0, AllAreDead)), IsEmpty());
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
}

TEST_F(RepairTest, OrphansEndWithoutAnythingElseBeingMended) {
  Damage(directory_.File("x.db"), "UPDATE campaign SET nodes = 9");
  EXPECT_THAT(Must(EndOrphans(database_, 5000.0, AllAreAlive)), IsEmpty());
  EXPECT_THAT(Must(EndOrphans(database_, 5000.0, AllAreDead)),
              ElementsAre(HasSubstr("attempt 2")));
  EXPECT_THAT(Must(Diagnose(database_)),
              ElementsAre("campaign a counts 9 nodes but has 2"));
}

// As a process left it that wrote for an attempt that it had lost.
TEST_F(RepairTest, ACallThatItsAttemptWentOnWithoutEnds) {
  EXPECT_THAT(After("UPDATE attempt SET stage = 2, no_candidate_reason = 'none'"
                    " WHERE attempt_id = 2"),
              ElementsAre("attempt 2 is coded but call 3 has not ended",
                          "call 3 has ended but its wire call 1 has not"));
  EXPECT_THAT(Outcomes(), ElementsAre("outcome_unknown|outcome_unknown"));
  EXPECT_THAT(Rows(database_, "SELECT charged_usd FROM wire_calls"),
              ElementsAre("2"));
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
  EXPECT_THAT(
      Rows(database_, "SELECT at_s, detail FROM event WHERE kind = 'repaired'"),
      ElementsAre("5000|attempt 2 is coded but call 3 has not ended",
                  "5000|call 3 has ended but its wire call 1 has not"));
}

// Calls and nodes are mended first, then the sums of them.
TEST_F(RepairTest, WhatCanBeRecountedIs) {
  EXPECT_THAT(
      After("UPDATE campaign SET nodes = 9, attempts = 7;"
            "UPDATE expense SET tokens = tokens - 5;"
            "UPDATE model_call SET input_tokens = 7 WHERE call_id = 3;"
            "UPDATE node SET speedup = 9 WHERE number = 1;"
            "UPDATE campaign SET further = 2, root_runtime_s = 1"),
      ElementsAre("node 1 of campaign a does not count for what its "
                  "evaluations say",
                  "call 3 has another use than its wire calls",
                  "campaign a has other expenses than its calls, by 5 tokens "
                  "and $0.0",
                  "campaign a counts 9 nodes but has 2",
                  "campaign a counts 7 attempts but has 2",
                  "campaign a counts 2 further evaluations but has 0",
                  "campaign a has not the seconds of its root",
                  "campaign a has other sums than its calls"));
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
}

TEST_F(RepairTest, WhatIsLostStaysFound) {
  EXPECT_THAT(After("UPDATE blob SET bytes = x'00', raw_bytes = 1"
                    " WHERE blob_id = 2"),
              IsEmpty());
  EXPECT_FALSE(Must(Diagnose(database_)).empty());
}

TEST_F(RepairTest, ItFailsWholeIfNobodyCanSayWhoLives) {
  Damage(directory_.File("x.db"), "UPDATE campaign SET nodes = 9");
  const auto failed = Repair(database_, 5000.0, [](const std::string&) {
    return Result<bool>(Fail(Errc::kIo, "x.db-run: may not be read"));
  });
  EXPECT_EQ(failed.error().code, Errc::kIo);
  EXPECT_THAT(Must(Diagnose(database_)),
              ElementsAre("campaign a counts 9 nodes but has 2"));
}

}  // namespace
}  // namespace coppice::store
