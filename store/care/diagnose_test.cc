#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "store/care/maintenance.h"
#include "store/connection.h"
#include "store/records/evaluation.h"
#include "store/scratch.h"
#include "store/write/assistant_turns.h"
#include "store/write/claims.h"
#include "store/write/directives.h"
#include "store/write/session_calls.h"
#include "store/write/wire_calls.h"

namespace coppice::store {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class DiagnoseTest : public ::testing::Test {
 protected:
  // Two nodes that pass, one that crashes, one attempt under way.
  DiagnoseTest() {
    Database database = NewFile(path_);
    const CampaignId campaign = Plant(database, "a");
    Grow(database, campaign, NodeId{0},
         {.source = Long("first"), .runtime_s = 2.0});
    Grow(database, campaign, NodeId{1},
         {.source = Long("second"), .runtime_s = 1.0});
    Grow(database, campaign, NodeId{0}, {.verdict = Verdict::kCrashed});
    const AttemptId attempt =
        Must(Attempts(database).Reserve(campaign, ReservationOf(3, NodeId{1})));
    Must(Calls(database).Begin(attempt, IntentOf(Role::kPlan), {}));
  }
  static std::string Long(const std::string& name) {
    std::string text = name;
    for (int i = 0; i < 200; ++i) text += " " + std::to_string(i * i);
    return text;
  }
  std::vector<std::string> Findings() {
    Database database = Must(Database::Open(path_, Access::kReadWrite));
    return Must(Diagnose(database));
  }
  std::vector<std::string> After(const std::string& sql) {
    Damage(path_, sql);
    return Findings();
  }

  ScratchDirectory directory_;
  const std::filesystem::path path_ = directory_.File("x.db");
};

TEST_F(DiagnoseTest, ASoundFileHasNoFindings) {
  EXPECT_THAT(Findings(), IsEmpty());
}

TEST_F(DiagnoseTest, AnEmptyFileIsSound) {
  Database database = NewFile(directory_.File("y.db"));
  EXPECT_THAT(Must(Diagnose(database)), IsEmpty());
}

TEST_F(DiagnoseTest, DamagedIndex) {
  // The index has three entries, and should now have none.
  EXPECT_THAT(After("PRAGMA writable_schema = ON;"
                    "UPDATE sqlite_schema SET sql = sql ||"
                    " ' WHERE parent_number > 100'"
                    " WHERE name = 'node_by_parent'"),
              Contains("integrity: wrong # of entries in index "
                       "node_by_parent"));
}

TEST_F(DiagnoseTest, AStrangersTriggerAndView) {
  EXPECT_THAT(
      After("CREATE TRIGGER t AFTER INSERT ON node BEGIN SELECT 1; END"),
      Contains("trigger t is none of coppice's"));
  EXPECT_THAT(After("PRAGMA writable_schema = ON;"
                    "UPDATE sqlite_schema SET sql = 'CREATE VIEW nodes AS"
                    " SELECT 1 AS node' WHERE name = 'nodes'"),
              Contains("view nodes is not as coppice defines it"));
}

TEST_F(DiagnoseTest, BrokenReference) {
  EXPECT_THAT(After("UPDATE model_call SET attempt_id = 99 WHERE call_id = 1"),
              Contains(HasSubstr("a row of model_call (1) refers to a attempt"
                                 " that is missing")));
}

TEST_F(DiagnoseTest, OrphanedText) {
  EXPECT_THAT(After("INSERT INTO blob VALUES (500, zeroblob(32), 1, 0, NULL, 0,"
                    " x'41')"),
              AllOf(Contains("blob 500 belongs to nothing"),
                    Contains(HasSubstr("blob 500 has not the hash"))));
}

TEST_F(DiagnoseTest, ANodeThatNoEvaluationRefutes) {
  EXPECT_THAT(After("UPDATE node SET verdict = 4, speedup = NULL"
                    " WHERE number = 1"),
              Contains("node 1 of campaign a does not count for what its "
                       "evaluations say"));
}

TEST_F(DiagnoseTest, EqualTokensThatAreNot) {
  EXPECT_THAT(After("UPDATE node SET same_as = 1 WHERE number = 2"),
              AllOf(Contains("node 2 of campaign a does not have the tokens of "
                             "node 1"),
                    Contains("node 2 of campaign a has evaluations, but the "
                             "tokens of node 1")));
}

// Nodes 2 and 3 have the tokens of node 1, which alone was judged: it stands
// for both, and no node stands for another for which one does.
TEST_F(DiagnoseTest, EqualTokensAreThoseOfTheOneThatWasJudged) {
  {
    Database database = Must(Database::Open(path_, Access::kReadWrite));
    const CampaignId campaign = Plant(database, "b");
    for (int i = 0; i < 3; ++i) {
      Grow(database, campaign, kRootNode, {.source = Long("again")});
    }
    EXPECT_THAT(Rows(database,
                     "SELECT same_as FROM nodes WHERE campaign = 'b'"
                     " ORDER BY node"),
                ElementsAre("-", "-", "1", "1"));
  }
  EXPECT_THAT(Findings(), IsEmpty());
  EXPECT_THAT(After("UPDATE node SET same_as = 2 WHERE same_as = 1"
                    " AND number = 3"),
              Contains("node 3 of campaign b does not have the tokens of "
                       "node 2"));
}

TEST_F(DiagnoseTest, WhatIsCountedAndKeptOfEvaluations) {
  EXPECT_THAT(
      After("UPDATE campaign SET further = 3, root_runtime_s = 1.0"),
      AllOf(Contains("campaign a counts 3 further evaluations but has 0"),
            Contains("campaign a has not the seconds of its root")));
}

// No difference from infinity is greater than a share of it.
TEST_F(DiagnoseTest, SumsThatAreInfinite) {
  const auto sums = Contains("campaign a has other sums than its calls");
  for (const std::string column : {"cost_usd", "latency_s"}) {
    const auto is = [&](const std::string& value) {
      return After("UPDATE call_sum SET " + column + " = " + value +
                   " WHERE role = 0");
    };
    EXPECT_THAT(is("9e999"), sums) << column;
    EXPECT_THAT(is("-9e999"), sums) << column;
    is("0.0");
  }
  EXPECT_THAT(After("UPDATE call_sum SET cost_usd = 9e999;"
                    "UPDATE model_call SET cost_usd = 9e999"),
              sums);
  EXPECT_THAT(After("INSERT INTO expense VALUES (1, 0, 9, 0, -9e999)"),
              Contains("campaign a has other expenses than its calls, by 0 "
                       "tokens and $Inf"));
}

TEST_F(DiagnoseTest, OrphanedRows) {
  EXPECT_THAT(After("INSERT INTO plan VALUES (50, '', '', '', '', 1, 1, 1)"),
              Contains(HasSubstr("plan 50 belongs to no attempt")));
  EXPECT_THAT(After("INSERT INTO environment VALUES (50, zeroblob(32), '', 1,"
                    " '', '', '', '', '')"),
              Contains(HasSubstr("environment 50 belongs to no evaluation")));
  EXPECT_THAT(After("INSERT INTO workload VALUES (50, 'w50')"),
              Contains(HasSubstr("workload w50 belongs to no result")));
}

TEST_F(DiagnoseTest, ChangedText) {
  EXPECT_THAT(After("UPDATE blob SET bytes = CAST('{\"task\": \"another\"}' AS"
                    " BLOB), raw_bytes = 19 WHERE blob_id = 1"),
              Contains(HasSubstr("blob 1 has not the hash")));
}

TEST_F(DiagnoseTest, BrokenChain) {
  EXPECT_THAT(After("UPDATE blob SET depth = depth + 1 WHERE base_blob > 0"),
              Contains(HasSubstr("has a wrong depth or base")));
}

TEST_F(DiagnoseTest, DamagedFrame) {
  EXPECT_THAT(After("UPDATE blob SET bytes = zeroblob(40) WHERE codec = 1"),
              Contains(HasSubstr("zstd frame")));
}

TEST_F(DiagnoseTest, MissingNode) {
  EXPECT_THAT(After("DELETE FROM node WHERE number = 1"),
              AllOf(Contains("campaign a: its nodes are not numbered 0 to 2"),
                    Contains("campaign a counts 4 nodes but has 3"),
                    Contains("attempt 1 is committed but has no node"),
                    Contains(HasSubstr("refers to a node"))));
}

TEST_F(DiagnoseTest, MissingAttempt) {
  EXPECT_THAT(
      After("DELETE FROM attempt WHERE attempt_id = 2"),
      AllOf(Contains("campaign a: its decisions are not numbered 0 to 2"),
            Contains("campaign a counts 4 attempts but has 3")));
}

TEST_F(DiagnoseTest, WrongCounters) {
  EXPECT_THAT(After("UPDATE campaign SET nodes = 9, attempts = 8,"
                    " evaluator_s = 3.5"),
              AllOf(Contains("campaign a counts 9 nodes but has 4"),
                    Contains("campaign a counts 3.5 seconds of the evaluator "
                             "but has 0.0"),
                    Contains("campaign a counts 8 attempts but has 4")));
}

TEST_F(DiagnoseTest, StageBehindTheNode) {
  EXPECT_THAT(After("UPDATE attempt SET stage = 2 WHERE attempt_id = 1"),
              Contains("attempt 1 has node 1 but is not committed"));
}

TEST_F(DiagnoseTest, NodeAndAttemptDiffer) {
  EXPECT_THAT(After("UPDATE attempt SET parent_number = 0"
                    " WHERE attempt_id = 2"),
              Contains("node 2 and its attempt 2 differ in campaign, parent or "
                       "source"));
}

TEST_F(DiagnoseTest, StageWithoutItsProduct) {
  EXPECT_THAT(After("UPDATE attempt SET stage = 1 WHERE attempt_id = 4"),
              Contains(HasSubstr("CHECK constraint failed in attempt")));
}

TEST_F(DiagnoseTest, ProductWithoutItsCall) {
  EXPECT_THAT(
      After("UPDATE model_call SET outcome = 2, answer_blob = NULL"
            " WHERE attempt_id = 1"),
      AllOf(Contains("attempt 1 has a plan but no answered plan call"),
            Contains("attempt 1 has a candidate but no answered call")));
}

TEST_F(DiagnoseTest, CallWithoutAnEnd) {
  EXPECT_THAT(After("UPDATE model_call SET outcome = 0, ended_at_s = NULL,"
                    " answer_blob = NULL WHERE call_id = 2"),
              Contains("attempt 1 is coded but call 2 has not ended"));
}

TEST_F(DiagnoseTest, WindowOfAnotherCampaign) {
  {
    Database database = Must(Database::Open(path_, Access::kReadWrite));
    Plant(database, "b");
  }
  EXPECT_THAT(After("UPDATE window_entry SET campaign_id = 2, node_number = 0"
                    " WHERE call_id = 1"),
              Contains("call 1 was shown a node of another campaign"));
}

TEST_F(DiagnoseTest, CutNodesThatAreNotThoseOfTheWindow) {
  const auto finding = Contains(
      "call 1 cut 1 nodes from its window, and its runs of them are "
      "others");
  EXPECT_THAT(After("UPDATE model_call SET nodes_cut = 1 WHERE call_id = 1"),
              finding);
  EXPECT_THAT(After("INSERT INTO window_cut VALUES (1, 2, 1, 1)"),
              Not(finding));
  EXPECT_THAT(After("UPDATE window_cut SET last_node = 99"), finding);
}

TEST_F(DiagnoseTest, NodeIsNotAsEvaluated) {
  EXPECT_THAT(After("UPDATE node SET speedup = 0.5 WHERE number = 2"),
              Contains("node 2 of campaign a does not count for what its "
                       "evaluations say"));
  EXPECT_THAT(After("DELETE FROM evaluation WHERE node_number = 3"),
              Contains("node 3 of campaign a does not count for what its "
                       "evaluations say"));
}

TEST_F(DiagnoseTest, GapInEvaluations) {
  EXPECT_THAT(After("UPDATE evaluation SET ordinal = 4 WHERE node_number = 3"),
              Contains("node 3: its evaluations are not numbered 0 to 0"));
}

TEST_F(DiagnoseTest, WrongKernelHash) {
  EXPECT_THAT(After("UPDATE node SET kernel_hash = 77 WHERE number = 1"),
              Contains("node 1 has not the hash of its tokens"));
}

TEST_F(DiagnoseTest, MuchDamageIsNotRepeatedForEver) {
  std::string sql =
      "WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1"
      " FROM n WHERE i < 400) INSERT INTO workload"
      " SELECT i, 'w' || i FROM n";
  const auto findings = After(sql);
  EXPECT_EQ(std::ranges::count_if(findings,
                                  [](const std::string& line) {
                                    return line.starts_with("workload w");
                                  }),
            20);
  EXPECT_THAT(findings.back(), HasSubstr("and perhaps more"));
}

TEST_F(DiagnoseTest, APageOfRubbishIsFoundWithoutStoppingTheRest) {
  Damage(path_, "UPDATE campaign SET nodes = 9; PRAGMA wal_checkpoint;");
  Database database = Must(Database::Open(path_, Access::kReadOnly));
  const auto page = std::stoll(Rows(
      database, "SELECT rootpage FROM sqlite_schema WHERE name = 'sample'")[0]);
  {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp((page - 1) * 4096);
    file << std::string(4096, '\x7f');
  }
  EXPECT_THAT(Findings(), AllOf(Contains(HasSubstr("integrity")),
                                Contains("campaign a counts 9 nodes but has "
                                         "4")));
}

// Texts of requests, answers, tools, templates, profiles, claims, directives
// and of the assistant; each is another.
TEST_F(DiagnoseTest, TextsOfAllTablesBelongToSomething) {
  Database database = Must(Database::Open(path_, Access::kReadWrite));
  const CampaignId campaign = Must(Campaigns(database).Find("a")).id;
  const AttemptId attempt =
      Must(Attempts(database).Reserve(campaign, ReservationOf(4, kRootNode)));
  Calls calls(database);
  CallIntent asked = IntentOf(Role::kPlan);
  asked.templates = "a template";
  const CallId call = Must(calls.Begin(attempt, asked, {}));
  SessionCalls tools(database);
  const SessionCall tool = Must(tools.Begin(call, "t", "arguments", 1001.0));
  Must(tools.End(tool.id, SessionCallState::kAnswered, "a result", 1002.0));
  WireIntent intent;
  intent.request = "a request";
  CallEnd end = AnswerOf("a plan");
  end.wire = EndedWireCall{
      .call = Must(WireCalls(database).Begin(call, intent, {})), .end = {}};
  end.wire->end.answer = "a reply";
  Must(calls.EndWithPlan(call, end, {"advice", "t", "annotated", 1, true}));
  Evaluation evaluation = EvaluationOf(Verdict::kPassed, 2.0);
  evaluation.profile = "a profile";
  Must(Nodes(database).AddEvaluation(campaign, NodeId{1}, evaluation, 2000.0));
  Claim claim;
  claim.candidate = {Language::kCpp, "a claimed kernel", "run"};
  claim.origin = "list.json:1";
  Must(SubmitClaims(database, campaign, {claim}, Judging::kLater, NextUuid,
                    2000.0));
  Directive note;
  note.uuid = NextUuid();
  note.author = "ana";
  note.kind = DirectiveKind::kNote;
  note.text = "a note";
  Must(AppendDirective(database, campaign, note));
  AssistantTurns turns(database);
  TurnIntent turn;
  turn.origin = {NextUuid(), 1, campaign, "a question"};
  turn.provider = "openai";
  turn.model = "m";
  turn.request = "a conversation";
  TransportResult answer;
  answer.answer = "an answer";
  Must(turns.End(Must(turns.Begin(turn, {})), answer));
  EXPECT_THAT(Must(Diagnose(database)), IsEmpty());
}

// Attempt 2 is on node 1, and there are four nodes.
TEST_F(DiagnoseTest, AnAttemptSawItsParentAndNoMoreThanThereWas) {
  const auto seen = [this](int nodes) {
    return After("UPDATE attempt SET nodes_seen = " + std::to_string(nodes) +
                 " WHERE attempt_id = 2");
  };
  const auto finding = Contains("attempt 2 saw more than there was to see");
  EXPECT_THAT(seen(1), finding);
  EXPECT_THAT(seen(2), Not(finding));
  EXPECT_THAT(seen(4), Not(finding));
  EXPECT_THAT(seen(5), finding);
}

// Attempt 2 saw nodes 0 and 1, and is on 1.
TEST_F(DiagnoseTest, AMateIsAnotherNodeThatWasSeen) {
  const auto mate = [this](int node) {
    return After(
        "DELETE FROM attempt_parent;"
        "INSERT INTO attempt_parent VALUES (2, 1, 1, " +
        std::to_string(node) + ")");
  };
  const auto finding = Contains(
      "attempt 2 combines node 1 with what it did not see, or with itself");
  EXPECT_THAT(mate(0), Not(finding));
  EXPECT_THAT(mate(1), finding);
  EXPECT_THAT(mate(2), finding);
  EXPECT_THAT(mate(-1), finding);
}

TEST_F(DiagnoseTest, DamagedTextsAreNamedInTheirOrder) {
  std::vector<int> numbers;
  for (const std::string& finding :
       After("UPDATE blob SET bytes = x'78', raw_bytes = 1 WHERE codec = 0")) {
    const std::size_t at = finding.find("blob ");
    if (finding.find("has not the hash") == std::string::npos) continue;
    const int number = std::stoi(finding.substr(at + 5));
    // One that others are differences of is named with each of these again.
    if (std::ranges::find(numbers, number) != numbers.end()) continue;
    numbers.push_back(number);
  }
  EXPECT_GT(numbers.size(), 2U);
  EXPECT_TRUE(std::ranges::is_sorted(numbers));
}

}  // namespace
}  // namespace coppice::store
