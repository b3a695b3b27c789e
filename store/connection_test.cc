#include "store/connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/care/maintenance.h"
#include "store/read_rows.h"
#include "store/scratch.h"

namespace coppice::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class ConnectionTest : public ::testing::Test {
 protected:
  ConnectionTest() {
    connection_.Run("CREATE TEMP TABLE t (number INT, text TEXT)");
    for (const int number : {3, 1, 2}) {
      connection_.Run("INSERT INTO t VALUES (?, ?)", number,
                      "of " + std::to_string(number));
    }
    connection_.Run("INSERT INTO t VALUES (9, NULL)");
  }

  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  Connection& connection_ = database_.connection();
};

TEST_F(ConnectionTest, WhatIsFoundIsTheFirstColumnOfTheFirstRow) {
  EXPECT_EQ(
      connection_.Find<std::string>(
          "SELECT text, number FROM t WHERE number < ? ORDER BY number", 3),
      "of 1");
  EXPECT_EQ(connection_.Find<NodeId>("SELECT max(number) FROM t"), NodeId{9});
  EXPECT_EQ(connection_.Find<double>("SELECT avg(number) FROM t"), 3.75);
  // No row, and a row with nothing in it.
  EXPECT_EQ(connection_.Find<int>("SELECT number FROM t WHERE number = 5"),
            std::nullopt);
  EXPECT_EQ(
      connection_.Find<std::string>("SELECT text FROM t WHERE number = 9"),
      std::nullopt);
}

TEST_F(ConnectionTest, ANumberThatIsNotThereIsZero) {
  EXPECT_EQ(connection_.Number("SELECT count(*) FROM t"), 4);
  EXPECT_EQ(connection_.Number("SELECT number FROM t WHERE number = ?", 5), 0);
  EXPECT_EQ(connection_.Number("SELECT sum(number) FROM t WHERE number > ?", 9),
            0);
}

TEST_F(ConnectionTest, RowsAreMadeInTheOrderOfTheStatement) {
  const auto texts = [&](std::int64_t least) {
    return connection_.Rows(
        "SELECT text FROM t WHERE number >= ? AND text NOT NULL"
        " ORDER BY number DESC",
        [](const Statement& row) { return row.Text(0); }, least);
  };
  EXPECT_THAT(texts(2), ElementsAre("of 3", "of 2"));
  EXPECT_THAT(texts(4), IsEmpty());
}

// A statement is prepared once for each of its texts.
TEST_F(ConnectionTest, OneStatementMayRunWithinAnother) {
  Statement outer = connection_.Prepare("SELECT number FROM t ORDER BY 1");
  std::int64_t sum = 0;
  while (outer.Step()) {
    sum += connection_.Number("SELECT sum(number) FROM t WHERE number <= ?",
                              outer.Int(0));
  }
  EXPECT_EQ(sum, 1 + 3 + 6 + 15);
}

TEST_F(ConnectionTest, SaysWhatAStatementChanged) {
  connection_.Run("UPDATE t SET text = 'x' WHERE number > ?", 1);
  EXPECT_EQ(connection_.Changes(), 3);
  connection_.Run("INSERT INTO t VALUES (7, NULL)");
  EXPECT_EQ(connection_.Number("SELECT number FROM t WHERE rowid = ?",
                               connection_.LastRowId()),
            7);
}

// What is put into a table of many rows is sealed without a trigger.
TEST_F(ConnectionTest, WhatIsInsertedIsSealed) {
  const CampaignId campaign = Plant(database_, "a");
  Grow(database_, campaign, kRootNode);
  Must(connection_.Write([&]() -> Result<void> {
    connection_.Insert("window_cut",
                       "INSERT INTO window_cut (call_id, kinship, first_node,"
                       " last_node) VALUES (?, ?, ?, ?)",
                       1, 2, 1, 1);
    connection_.Run("UPDATE model_call SET nodes_cut = 1 WHERE call_id = 1");
    return {};
  }));
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
  Must(connection_.Write([&]() -> Result<void> {
    connection_.Run("INSERT INTO window_cut VALUES (1, 3, 1, 1)");
    connection_.Run("UPDATE model_call SET nodes_cut = 2 WHERE call_id = 1");
    return {};
  }));
  EXPECT_THAT(Must(Diagnose(database_)),
              ElementsAre(StartsWith("rows of window_cut ")));
}

TEST_F(ConnectionTest, AnErrorNamesTheFileAndWhatIsMissing) {
  const Error error = connection_.Missing("call 7").value();
  EXPECT_EQ(error.code, Errc::kNotFound);
  EXPECT_EQ(error.what,
            directory_.File("x.db").string() + ": call 7 is missing");
  EXPECT_THAT(connection_.NoSuchCampaign(CampaignId{4}).value().what,
              HasSubstr(": campaign 4 is missing"));
}

TEST_F(ConnectionTest, AWholeReadSeesOneState) {
  Database other =
      Must(Database::Open(directory_.File("x.db"), Access::kReadWrite));
  Must(connection_.Read([&]() -> Result<void> {
    const auto count = [&] {
      return connection_.Number("SELECT count(*) FROM campaign");
    };
    EXPECT_EQ(count(), 0);
    Plant(other, "b");
    EXPECT_EQ(count(), 0);
    EXPECT_EQ(Must(ReadNumber(database_, "SELECT count(*) FROM campaign")), 0);
    return {};
  }));
  EXPECT_EQ(Must(ReadNumber(database_, "SELECT count(*) FROM campaign")), 1);
}

TEST_F(ConnectionTest, RowsOfAFileAreReadWholeOrTheFirstOrItsFirstColumn) {
  const char* const kFrom2 =
      "SELECT number, text FROM t WHERE number >= ? ORDER BY number";
  const auto both = [](const Statement& row) {
    return row.Text(0) + " " + row.Text(1);
  };
  EXPECT_THAT(Must(ReadRows(database_, kFrom2, both, 2)),
              ElementsAre("2 of 2", "3 of 3", "9 "));
  EXPECT_EQ(Must(ReadOne(database_, kFrom2, both, 3)), "3 of 3");
  EXPECT_EQ(Must(ReadOne(database_, kFrom2, both, 10)), std::nullopt);
  EXPECT_EQ(Must(ReadValue<NodeId>(database_, kFrom2, 2)), NodeId{2});
  EXPECT_EQ(Must(ReadValue<NodeId>(database_, kFrom2, 10)), std::nullopt);
  EXPECT_EQ(Must(ReadNumber(database_, kFrom2, 3)), 3);
  EXPECT_EQ(Must(ReadNumber(database_, kFrom2, 10)), 0);
  const auto wrong = ReadNumber(database_, "SELECT number FROM nowhere");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().what, HasSubstr("no such table: nowhere"));
}

// What SQLite says, and what the user can do about it.
TEST(ExplainTest, EachFailureSaysWhatToDo) {
  const struct {
    int code;
    Errc meaning;
    const char* what;
  } cases[] = {
      {SQLITE_FULL, Errc::kFull, "disk full: free some space and try again"},
      {SQLITE_READONLY, Errc::kIo,
       "may not be written: change its permissions or those of its directory "
       "(it)"},
      {SQLITE_PERM, Errc::kIo,
       "may not be written: change its permissions or those of its directory "
       "(it)"},
      {SQLITE_BUSY, Errc::kBusy,
       "locked by another process: try again when that is done"},
      {SQLITE_LOCKED, Errc::kBusy,
       "locked by another process: try again when that is done"},
      {SQLITE_CORRUPT, Errc::kCorrupt,
       "damaged: restore a backup, or save what is left with `sqlite3 FILE "
       ".recover` (it)"},
      {SQLITE_NOTADB, Errc::kUsage, "not a SQLite file: give another path"},
      {SQLITE_CANTOPEN, Errc::kIo,
       "cannot be opened: check that its directory exists and may be written"},
      {SQLITE_NOMEM, Errc::kIo, "Cannot allocate memory"},
      {SQLITE_IOERR, Errc::kIo, "the disk failed: it"},
      {SQLITE_INTERRUPT, Errc::kTimeout,
       "the question took longer than it may"},
      {SQLITE_CONSTRAINT, Errc::kUsage, "it"},
      {SQLITE_MISUSE, Errc::kIo, "it"},
  };
  for (const auto& [code, meaning, what] : cases) {
    const Error error = Explain("runs.db", SQLite::Exception("it", code));
    EXPECT_EQ(error.code, meaning) << what;
    EXPECT_EQ(error.what, std::string("runs.db: ") + what);
  }
}

}  // namespace
}  // namespace coppice::store
