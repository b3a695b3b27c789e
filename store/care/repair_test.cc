#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/care/maintenance.h"
#include "store/scratch.h"
#include "store/write/wire_calls.h"

namespace coppice::store {
namespace {

using ::testing::Contains;
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
  // As coppice itself may have left it.
  std::vector<std::string> AfterChange(const std::string& sql) {
    Change(database_, sql);
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
  Change(database_, "UPDATE campaign SET nodes = 9");
  EXPECT_THAT(Must(EndOrphans(database_, 5000.0, AllAreAlive)), IsEmpty());
  EXPECT_THAT(Must(EndOrphans(database_, 5000.0, AllAreDead)),
              ElementsAre(HasSubstr("attempt 2")));
  EXPECT_THAT(Must(Diagnose(database_)),
              ElementsAre("campaign a counts 9 nodes but has 2"));
}

// As a process left it that wrote for an attempt that it had lost.
TEST_F(RepairTest, ACallThatItsAttemptWentOnWithoutEnds) {
  EXPECT_THAT(AfterChange("UPDATE attempt SET stage = 2,"
                          " no_candidate_reason = 'none' WHERE attempt_id = 2"),
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

// Then nothing tells what is wrong, the count or what is counted.
TEST_F(RepairTest, WhatCoppiceItselfCountedWronglyIsRecounted) {
  EXPECT_THAT(AfterChange("UPDATE campaign SET nodes = 9"),
              ElementsAre("campaign a counts 9 nodes but has 2"));
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
}

// The count is as it was sealed; what it counts is not.
TEST_F(RepairTest, ACountIsNotFittedToWhatIsLost) {
  EXPECT_THAT(After("DELETE FROM node WHERE number = 1"), IsEmpty());
  EXPECT_THAT(Rows(database_, "SELECT nodes FROM campaign"), ElementsAre("2"));
  EXPECT_THAT(Must(Diagnose(database_)),
              Contains("rows of node (campaign_id 1, number 0 to 63) are not "
                       "as coppice wrote them"));
}

// 0.75 is not a bit away from 0.25, nor is 9 from 2.
TEST_F(RepairTest, WhatIsNotProvenIsNotDone) {
  EXPECT_THAT(After("UPDATE campaign SET nodes = 9, name = 'other'"),
              IsEmpty());
  EXPECT_THAT(Must(Diagnose(database_)),
              ElementsAre("rows of campaign (campaign_id 0 to 63) are not as "
                          "coppice wrote them",
                          "campaign other counts 9 nodes but has 2"));
}

TEST_F(RepairTest, WhatIsTakenAsItIsIsSound) {
  Damage(directory_.File("x.db"),
         "UPDATE campaign SET name = 'other';"
         "UPDATE seal SET of_table = 'nod' WHERE of_table = 'node'");
  EXPECT_THAT(
      Must(Reseal(database_, 5000.0)),
      ElementsAre("seals of nod", "rows of campaign (campaign_id 0 to 63)",
                  "rows of node (campaign_id 1, number 0 to 63)"));
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
  EXPECT_THAT(
      Rows(database_, "SELECT at_s, detail FROM event WHERE kind = 'resealed'"),
      ElementsAre("5000|seals of nod",
                  "5000|rows of campaign (campaign_id 0 to 63)",
                  "5000|rows of node (campaign_id 1, number 0 to 63)"));
  EXPECT_THAT(Must(Reseal(database_, 6000.0)), IsEmpty());
}

TEST_F(RepairTest, IndexesAreMadeAnewFromTheirTables) {
  EXPECT_THAT(After("PRAGMA writable_schema = ON;"
                    "UPDATE sqlite_schema SET sql = sql ||"
                    " ' WHERE parent_number > 100' WHERE name = "
                    "'node_by_parent';PRAGMA writable_schema = RESET;"
                    "REINDEX node_by_parent;PRAGMA writable_schema = ON;"
                    "UPDATE sqlite_schema SET sql = replace(sql,"
                    " ' WHERE parent_number > 100', '')"),
              ElementsAre("indexes had other rows than their tables"));
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
}

TEST_F(RepairTest, WhatIsLostStaysFound) {
  EXPECT_THAT(After("UPDATE blob SET bytes = x'00', raw_bytes = 1"
                    " WHERE blob_id = 2"),
              IsEmpty());
  EXPECT_FALSE(Must(Diagnose(database_)).empty());
}

TEST_F(RepairTest, ItFailsWholeIfNobodyCanSayWhoLives) {
  Change(database_, "UPDATE campaign SET nodes = 9");
  const auto failed = Repair(database_, 5000.0, [](const std::string&) {
    return Result<bool>(Fail(Errc::kIo, "x.db-run: may not be read"));
  });
  EXPECT_EQ(failed.error().code, Errc::kIo);
  EXPECT_THAT(Must(Diagnose(database_)),
              ElementsAre("campaign a counts 9 nodes but has 2"));
}

// An answered call, of which only the money is wrong: its tokens are right.
TEST_F(RepairTest, ACostAloneIsRecounted) {
  EndedWireCall ended;
  ended.call = static_cast<WireCallId>(std::stoll(
      Rows(database_, "SELECT max(wire_call_id) FROM wire_call")[0]));
  ended.end.outcome = CallOutcome::kAnswered;
  ended.end.answer = "an answer";
  ended.end.usage.input_tokens = 80;
  ended.end.usage.output_tokens = 20;
  ended.end.cost_usd = 0.5;
  ended.end.ended_at_s = 1001.0;
  CallEnd end = AnswerOf("an answer");
  end.wire = ended;
  Must(calls_.End(call_, end));
  EXPECT_THAT(Must(Repair(database_, 5000.0, AllAreAlive)), IsEmpty());
  const std::string id = std::to_string(Index(call_));
  // As it would be if it had been added up in another order.
  EXPECT_THAT(AfterChange("UPDATE model_call SET cost_usd = 0.5 + 5e-10"
                          " WHERE call_id = " +
                          id),
              IsEmpty());
  EXPECT_THAT(AfterChange("UPDATE model_call SET cost_usd = 0.75"
                          " WHERE call_id = " +
                          id),
              Contains("call " + id + " has another use than its wire calls"));
  EXPECT_THAT(Rows(database_,
                   "SELECT cost_usd FROM model_call WHERE call_id"
                   " = " +
                       id),
              ElementsAre("0.5"));
}

// Compiling, checking and timing node 1 took 1, 2 and 4 seconds, which are 7.
TEST_F(RepairTest, TheEvaluatorsSecondsAreRecounted) {
  Change(database_,
         "UPDATE evaluation SET compile_s = 1, check_s = 2, timing_s = 4"
         " WHERE node_number = 1");
  Must(Repair(database_, 5000.0, AllAreAlive));
  EXPECT_THAT(Rows(database_, "SELECT evaluator_s FROM campaign"),
              ElementsAre("7"));
}

}  // namespace
}  // namespace coppice::store
