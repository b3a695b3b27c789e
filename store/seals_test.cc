#include "store/seals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "store/care/maintenance.h"
#include "store/care/repairs.h"
#include "store/connection.h"
#include "store/read/series.h"
#include "store/records/node.h"
#include "store/records/ticket.h"
#include "store/records/window.h"
#include "store/schema_check.h"
#include "store/scratch.h"
#include "store/write/assistant_turns.h"
#include "store/write/baselines.h"
#include "store/write/claims.h"
#include "store/write/directives.h"
#include "store/write/lessons.h"
#include "store/write/session_calls.h"
#include "store/write/tickets.h"
#include "store/write/wire_calls.h"

namespace coppice::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr double kNow_s = 1000.0;

// What a passing kernel on a GPU leaves.
Evaluation RichEvaluation() {
  Evaluation evaluation = EvaluationOf(Verdict::kPassed, 2.0);
  evaluation.environment.libraries = {{"torch", "2.13.0"}};
  WorkloadResult& result = evaluation.workloads[0];
  result.control_samples_s = {4.1};
  result.readings = {{1, 10, 2.1, {}, 1980.0}};
  result.profile.emplace().shape = "M=3";
  result.profile->kernels = {{.name = "k", .calls = 2, .registers = 32}};
  return evaluation;
}

void AddCalls(Database& database, CampaignId campaign) {
  Calls calls(database);
  Reservation reservation = ReservationOf(1, kRootNode);
  reservation.nodes_seen = 2;
  reservation.mate = NodeId{1};
  const AttemptId attempt =
      Must(Attempts(database).Reserve(campaign, reservation));
  const Window window = {.shown = {{kRootNode, Kinship::kSelected}},
                         .cut = {{Kinship::kChild, NodeId{1}, NodeId{1}}}};
  const CallId call = Must(calls.Begin(attempt, IntentOf(Role::kPlan), window));
  WireIntent intent;
  intent.request = "{}";
  intent.input_tokens_bound = 100;
  intent.output_tokens_bound = 900;
  intent.sent_at_s = kNow_s;
  const WireCallId wire = Must(WireCalls(database).Begin(call, intent, {}));
  CallEnd end = AnswerOf("tile");
  end.wire.emplace().call = wire;
  end.wire->end.answer = "tile";
  end.wire->end.ended_at_s = kNow_s;
  Must(calls.EndWithPlan(call, end, Plan{"tile", "tile", "<<<x>>>", 1, true}));
}

void AddDirectives(Database& database, CampaignId campaign) {
  Directive freeze;
  freeze.uuid = NextUuid();
  freeze.author = "ana";
  freeze.kind = DirectiveKind::kFreeze;
  freeze.node = NodeId{1};
  const DirectiveId id = Must(AppendDirective(database, campaign, freeze)).id;
  Reservation reservation = ReservationOf(3, kRootNode);
  Must(Attempts(database).Reserve(campaign, reservation, {{id, ""}}));
}

void AddTicket(Database& database, CampaignId campaign) {
  Ticket ticket;
  ticket.uuid = NextUuid();
  ticket.campaign = campaign;
  ticket.attempt =
      Must(Attempts(database).Reserve(campaign, ReservationOf(4, kRootNode)));
  ticket.agent = "ana";
  ticket.roles = Roles::All();
  Tickets tickets(database);
  const TicketId id = Must(tickets.Issue(ticket));
  Must(tickets.NotePlan(id, std::string(32, 'p')));
  Must(tickets.NoteTold(id, std::string(32, 't'), kNow_s));
  const CallId call =
      Must(Calls(database).Begin(ticket.attempt, IntentOf(Role::kCode), {}));
  SessionCalls session(database);
  const SessionCall tool =
      Must(session.Begin(call, "evaluate_kernel", "{}", kNow_s));
  Must(session.End(tool.id, SessionCallState::kAnswered, "no", kNow_s));
}

// A file with rows in every table.
void Fill(Database& database) {
  CampaignSpec spec = SpecNamed("a");
  spec.settings = {{"agents", "team", "default"}};
  const CampaignId campaign = Must(Campaigns(database).Create(spec));
  NodeRecord root = RootNode();
  root.evaluation = RichEvaluation();
  Must(Nodes(database).Commit(campaign, std::nullopt, root, kNow_s));
  Grow(database, campaign, kRootNode,
       {.runtime_s = 2.0,
        .trials = {{"TILE=64", Verdict::kPassed, Speedup{2.0, {}}, 1.5, true}},
        .picks = {{Role::kCode, "exec:a", "exec:a,exec:b", "bandit", "why"}}});
  AddCalls(database, campaign);
  Must(AddBaselineEvaluation(database, campaign, kExpertBaseline,
                             RichEvaluation(), kNow_s));
  Must(AddQuotedBaselines(
      database,
      {{1, "matmul", "torch", "L40S", 1.0, 0.1, 0.9, 1.2, 100, "l40s.json"}},
      kNow_s));
  Must(SubmitClaims(database, campaign,
                    {{.candidate = {Language::kCpp, "claimed", "run"},
                      .origin = "x.json:1",
                      .speedup = 2.0}},
                    Judging::kByAttempt, NextUuid, kNow_s));
  AddDirectives(database, campaign);
  AddTicket(database, campaign);
  Lesson lesson;
  lesson.file = "other.db";
  lesson.uuid = NextUuid();
  lesson.node = NodeId{1};
  lesson.verdict = Verdict::kCrashed;
  Must(KeepLessons(database, {&lesson, 1}, kNow_s));
  const TurnId turn = Must(AssistantTurns(database).Begin(
      {.origin = {NextUuid(), 1, campaign, "Why?"},
       .provider = "openai",
       .model = "m",
       .request = "{}",
       .input_tokens_bound = 100,
       .sent_at_s = kNow_s},
      {}));
  TransportResult said;
  said.answer = "So.";
  said.ended_at_s = kNow_s;
  Must(AssistantTurns(database).End(turn, said));
  const SeriesKey key{{"sim:hill/1", Sha256("hill"), 1}, "stark"};
  const auto series = Must(SeriesScores(database).Enter({key}, {{1, 1, 30}}));
  Must(SeriesScores(database).Add({{series[0], {{1, 30, 0.5, 20, 10}}}}));
}

class SealsTest : public ::testing::Test {
 protected:
  SealsTest() { Fill(database_); }

  // Who is not coppice: no triggers tell of what it changes.
  std::unique_ptr<Connection> OpenBare() {
    return std::make_unique<Connection>(
        SQLite::Database(path_.string(), SQLite::OPEN_READWRITE),
        path_.string(), std::make_shared<Waiting>(path_.string(), nullptr));
  }

  ScratchDirectory directory_;
  const std::filesystem::path path_ = directory_.File("x.db");
  Database database_ = NewFile(path_);
};

TEST_F(SealsTest, WhatCoppiceWritesIsAsItWasSealed) {
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
}

// Another value, whatever a column holds.
std::string Other(const std::string& column) {
  return "CASE typeof(" + column + ") WHEN 'null' THEN 0 WHEN 'integer' THEN " +
         column + " + 1000003 WHEN 'real' THEN " + column + " * 2 + 1" +
         " WHEN 'text' THEN " + column + " || 'x'" + " ELSE CAST(" + column +
         " || x'00' AS BLOB) END";
}

std::vector<std::string> Texts(SQLite::Database& sqlite,
                               const std::string& sql) {
  std::vector<std::string> texts;
  SQLite::Statement read(sqlite, sql);
  while (read.executeStep()) texts.push_back(read.getColumn(0).getString());
  return texts;
}

std::vector<std::string> ReadTables(SQLite::Database& sqlite) {
  return Texts(sqlite,
               "SELECT name FROM sqlite_schema WHERE type = 'table'"
               " AND name NOT LIKE 'sqlite!_%' ESCAPE '!'");
}

// Undone at its end.
class Damaged {
 public:
  Damaged(Connection& connection, const std::string& sql)
      : sqlite_(connection.sqlite()) {
    sqlite_.exec("PRAGMA foreign_keys = OFF");
    sqlite_.exec("PRAGMA ignore_check_constraints = ON");
    sqlite_.exec("BEGIN");
    sqlite_.exec(sql);
  }
  ~Damaged() { sqlite_.tryExec("ROLLBACK"); }
  Damaged(const Damaged&) = delete;
  Damaged& operator=(const Damaged&) = delete;

 private:
  SQLite::Database& sqlite_;
};

// Sums have no seal: they are worked out again.
bool HasWrongSum(Connection& connection) {
  std::vector<const char*> checks = {"PRAGMA foreign_key_check"};
  for (const RepairRule& mend : Recounts()) checks.push_back(mend.findings);
  return std::ranges::any_of(checks, [&](const char* sql) {
    return SQLite::Statement(connection.sqlite(), sql).executeStep();
  });
}

bool IsFound(Connection& connection) {
  return HasWrongSum(connection) || !connection.seals().Differences().empty() ||
         !connection.seals().FindTablesOfNothing().empty() ||
         !FindStrange(connection).empty();
}

std::vector<std::string> ReadColumns(SQLite::Database& sqlite,
                                     const std::string& table) {
  return Texts(sqlite, "SELECT name FROM pragma_table_info('" + table + "')");
}

// All columns of all tables that the schema has: none can be forgotten.
TEST_F(SealsTest, AChangeOfAnyColumnOfAnyTableIsFound) {
  const auto bare = OpenBare();
  EXPECT_FALSE(IsFound(*bare));
  int columns = 0;
  for (const std::string& table : ReadTables(bare->sqlite())) {
    ASSERT_GT(
        bare->sqlite().execAndGet("SELECT count(*) FROM " + table).getInt(), 0)
        << table << ": have Fill put a row into it";
    for (const std::string& column : ReadColumns(bare->sqlite(), table)) {
      // Where a seal lies says nothing.
      if (column == "seal_id") continue;
      const Damaged damaged(*bare, "UPDATE OR IGNORE " + table + " SET " +
                                       column + " = " + Other(column));
      EXPECT_TRUE(IsFound(*bare)) << table << "." << column;
      ++columns;
    }
  }
  EXPECT_GT(columns, 200);
}

TEST_F(SealsTest, ARowThatIsMissingIsFound) {
  const auto bare = OpenBare();
  for (const std::string& table : ReadTables(bare->sqlite())) {
    const Damaged damaged(*bare, "DELETE FROM " + table);
    EXPECT_TRUE(IsFound(*bare)) << table;
  }
}

TEST_F(SealsTest, ARowThatNobodyWroteIsFound) {
  const auto bare = OpenBare();
  for (const std::string& table : ReadTables(bare->sqlite())) {
    std::string values;
    for (const std::string& column : ReadColumns(bare->sqlite(), table)) {
      values += (values.empty() ? "" : ", ") + Other(column);
    }
    const Damaged damaged(*bare, "INSERT OR IGNORE INTO " + table + " SELECT " +
                                     values + " FROM (SELECT * FROM " + table +
                                     ")");
    EXPECT_TRUE(IsFound(*bare)) << table;
  }
}

TEST_F(SealsTest, ABlockIs64KeysOfATable) {
  const auto bare = OpenBare();
  const auto found = [&](const std::string& sql) {
    const Damaged damaged(*bare, sql);
    std::vector<std::string> blocks;
    for (const auto& [block, sum] : bare->seals().Differences()) {
      blocks.push_back(bare->seals().Describe(block));
    }
    return blocks;
  };
  const std::string row = "1, 0.0, 'paused', NULL, ''";
  EXPECT_THAT(found("INSERT INTO event SELECT 127, " + row),
              ElementsAre("event (event_id 64 to 127)"));
  EXPECT_THAT(found("INSERT INTO event SELECT 128, " + row),
              ElementsAre("event (event_id 128 to 191)"));
  EXPECT_THAT(found("UPDATE node SET number = 64 WHERE number = 1"),
              ElementsAre("node (campaign_id 1, number 0 to 63)",
                          "node (campaign_id 1, number 64 to 127)"));
  EXPECT_THAT(found("UPDATE setting SET value = 'alone'"),
              ElementsAre("setting (campaign_id 1)"));
}

TEST_F(SealsTest, SchemaTextsAreSealedWithTheirComments) {
  Damage(path_,
         "PRAGMA writable_schema = ON;"
         "UPDATE sqlite_schema SET sql = replace(sql, 'Unix', 'unix')");
  Damage(path_,
         "PRAGMA writable_schema = ON;"
         "UPDATE sqlite_schema SET sql = replace(sql, '-- As JSON',"
         " '-- as JSON') WHERE name = 'campaign'");
  EXPECT_THAT(Must(Diagnose(database_)),
              ElementsAre("rows of sqlite_schema are not as coppice wrote "
                          "them"));
}

TEST_F(SealsTest, WritersAddUpInTurn) {
  Database other = Must(Database::Open(path_, Access::kReadWrite));
  Change(database_, "UPDATE campaign SET updated_at_s = 1");
  Change(other, "UPDATE campaign SET updated_at_s = 2");
  Change(database_, "UPDATE campaign SET updated_at_s = 3");
  Change(other, "UPDATE campaign SET updated_at_s = 2");
  EXPECT_THAT(Must(Diagnose(other)), IsEmpty());
}

TEST_F(SealsTest, WhatIsRolledBackIsNotAddedUp) {
  Connection& connection = database_.connection();
  const auto failed = connection.Write([&]() -> Result<void> {
    connection.sqlite().exec("UPDATE campaign SET updated_at_s = 1");
    // The first of a new block, which is rolled back with its seal.
    connection.sqlite().exec(
        "INSERT INTO event (event_id, campaign_id, at_s, kind)"
        " VALUES (1000, 1, 0, 'paused')");
    connection.seals().Write();
    return connection.FailHere(Errc::kUsage, "no");
  });
  EXPECT_FALSE(failed.has_value());
  Change(database_,
         "INSERT INTO event (event_id, campaign_id, at_s, kind)"
         " VALUES (1000, 1, 0, 'paused')");
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
}

TEST_F(SealsTest, SumsWrapAround) {
  // With 200 rows some sums pass 2^63, and some 2^64.
  for (int i = 0; i < 200; ++i) {
    Change(database_,
           "INSERT INTO event (campaign_id, at_s, kind)"
           " VALUES (1, " +
               std::to_string(i) + ", 'paused')");
  }
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
  EXPECT_THAT(Rows(database_, "SELECT DISTINCT typeof(sum) FROM seal"),
              ElementsAre("integer"));
}

}  // namespace
}  // namespace coppice::store
