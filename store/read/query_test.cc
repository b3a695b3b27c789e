#include "store/read/query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "store/scratch.h"

namespace coppice::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class QueryTest : public ::testing::TestWithParam<Access> {
 protected:
  QueryTest() { Plant(*writer_, "a"); }

  std::string Refusal(const std::string& sql) {
    const auto done = Query(database_, sql, {});
    EXPECT_FALSE(done.has_value()) << sql;
    if (done) return "";
    EXPECT_EQ(done.error().code, Errc::kUsage) << sql;
    return done.error().what;
  }

  ScratchDirectory directory_;
  const std::filesystem::path path_ = directory_.File("x.db");
  std::optional<Database> writer_ = NewFile(path_);
  Database database_ = Must(Database::Open(path_, GetParam()));
};

TEST_P(QueryTest, GivesColumnsOnceThenRowsOfTypedValues) {
  std::vector<std::string> columns;
  std::vector<std::vector<Value>> rows;
  RowSink sink;
  sink.header = [&columns](const std::vector<std::string>& names) {
    columns.insert(columns.end(), names.begin(), names.end());
  };
  sink.row = [&rows](const std::vector<Value>& row) { rows.push_back(row); };
  Must(Query(database_,
             "SELECT 1 AS i, 2.5 AS r, 'x' AS t, NULL AS n, x'00ff' AS b"
             " UNION ALL SELECT 2, 0.0, '', NULL, x''",
             sink));
  EXPECT_THAT(columns, ElementsAre("i", "r", "t", "n", "b"));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0], (std::vector<Value>{std::int64_t{1}, 2.5, "x",
                                         std::monostate(), "x'00ff'"}));
  EXPECT_EQ(rows[1][4], Value("x''"));
}

TEST_P(QueryTest, ColumnsAreGivenEvenWithoutRows) {
  std::vector<std::string> columns;
  RowSink sink;
  sink.header = [&columns](const auto& names) { columns = names; };
  Must(Query(database_, "SELECT campaign FROM campaigns WHERE 0", sink));
  EXPECT_THAT(columns, ElementsAre("campaign"));
}

TEST_P(QueryTest, OneStatementMayEndInASemicolonAndAComment) {
  Must(Query(database_, "SELECT 1; -- that is all\n", {}));
  Must(Query(database_, "  EXPLAIN QUERY PLAN SELECT * FROM nodes", {}));
  Must(Query(database_, "PRAGMA table_info(node)", {}));
}

TEST_P(QueryTest, WritingIsRefused) {
  for (const std::string sql :
       {"INSERT INTO event VALUES (1, 1, 1, 'created', 1, '')",
        "UPDATE campaign SET name = 'b'",
        "DELETE FROM node",
        "DROP TABLE node",
        "CREATE TABLE t (x)",
        "CREATE TEMP TABLE t (x)",
        "ATTACH ':memory:' AS other",
        "DETACH main",
        "VACUUM",
        "VACUUM INTO 'copy.db'",
        "BEGIN",
        "COMMIT",
        "SAVEPOINT s",
        "PRAGMA user_version = 9",
        "PRAGMA journal_mode = DELETE",
        "PRAGMA writable_schema = ON",
        "PRAGMA wal_checkpoint",
        "REINDEX",
        "ANALYZE",
        "SELECT load_extension('x')",
        "SELECT 1; DELETE FROM node",
        "SELECT 1; SELECT 2"}) {
    Refusal(sql);
  }
  EXPECT_THAT(Rows(database_, "SELECT campaign FROM campaigns"),
              ElementsAre("a"));
  // The store itself writes on, even through the same connection.
  Must(Campaigns(*writer_).Create(SpecNamed("b")));
}

// Its json_each is first declared while the statement is compiled.
TEST_P(QueryTest, ViewsOverTableFunctionsWorkOnAFreshConnection) {
  EXPECT_THAT(Rows(database_, "SELECT ancestor FROM lineage"),
              ElementsAre("0"));
  EXPECT_THAT(
      Rows(database_, "SELECT name FROM pragma_table_info('setting') LIMIT 1"),
      ElementsAre("campaign_id"));
}

TEST_P(QueryTest, SaysWhatSqliteSays) {
  EXPECT_EQ(Refusal("SELECT * FROM trees"), "SQL: no such table: trees");
  EXPECT_EQ(Refusal("SELEKT 1"), "SQL: near \"SELEKT\": syntax error");
  EXPECT_EQ(Refusal(""), "SQL: there is no statement");
  EXPECT_EQ(Refusal(" -- nothing"), "SQL: there is no statement");
}

// What comes after it would be left out, and another question answered.
TEST_P(QueryTest, AZeroByteIsRefused) {
  using std::string_literals::operator""s;
  for (const std::string& sql :
       {"SELECT 1\0 WHERE 0"s, "SELECT 1\0"s, "SELECT 1; \0DELETE"s}) {
    EXPECT_THAT(Refusal(sql), HasSubstr("a zero byte")) << sql;
  }
  const auto strict = QueryWithin(database_, "SELECT 1\0 + 1"s, {}, {});
  EXPECT_EQ(strict.error().code, Errc::kUsage);
}

TEST_P(QueryTest, BlobTextGivesTexts) {
  EXPECT_THAT(
      Rows(database_, "SELECT blob_text(task_json_blob) FROM campaigns"),
      ElementsAre("{\"task\": \"matmul\"}"));
  EXPECT_THAT(Rows(database_, "SELECT blob_text(NULL)"), ElementsAre("-"));
  EXPECT_THAT(Refusal("SELECT blob_text(999)"),
              HasSubstr("blob 999 is missing"));
}

TEST_P(QueryTest, ASheetHasParametersAndNoMoreRowsThanItMay) {
  const std::string three =
      "SELECT column1 AS i, :word AS w FROM (VALUES (1), (2), (3))";
  const Sheet cut = Must(ReadSheet(
      database_, three, {{":word", "it's"}, {":other", 1.0}}, {.rows = 2}));
  EXPECT_THAT(cut.columns, ElementsAre("i", "w"));
  ASSERT_EQ(cut.rows.size(), 2u);
  EXPECT_EQ(cut.rows[1], (std::vector<Value>{std::int64_t{2}, "it's"}));
  EXPECT_TRUE(cut.is_cut);
  EXPECT_FALSE(Must(ReadSheet(database_, three, {}, {.rows = 3})).is_cut);
  EXPECT_EQ(Must(ReadSheet(database_, three, {}, {})).rows.size(), 3u);
}

TEST_P(QueryTest, ASheetThatTakesTooLongIsGivenUp) {
  int asked = 0;
  database_.GiveUpWhen([&asked] { return ++asked == 3; });
  const auto read = ReadSheet(
      database_,
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
      " SELECT count(*) FROM n",
      {}, {});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Errc::kTimeout);
  database_.GiveUpWhen({});
  Must(ReadSheet(database_, "SELECT 1", {}, {}));
}

TEST_P(QueryTest, ASheetWritesNothingAndTakesNoMoreMemoryThanItMay) {
  for (const char* sql : {"DELETE FROM node", "SELECT zeroblob(100000000)"}) {
    EXPECT_EQ(ReadSheet(database_, sql, {}, {}).error().code, Errc::kUsage);
  }
}

// Who asks is not trusted with more than reading.
TEST_P(QueryTest, WithinLimitsThereAreFewerRowsAndNoPragmas) {
  const auto ask = [&](const std::string& sql, const QueryLimits& limits) {
    return QueryWithin(database_, sql, limits, {});
  };
  EXPECT_TRUE(Must(ask("VALUES (1), (2), (3)", {.rows = 2})));
  EXPECT_FALSE(Must(ask("VALUES (1), (2)", {.rows = 2})));
  EXPECT_TRUE(Must(ask("VALUES ('12345678901'), (2)", {.bytes = 10})));
  for (const std::string sql :
       {"PRAGMA table_info(node)", "SELECT * FROM pragma_table_info('node')",
        "ATTACH ':memory:' AS other", "SELECT load_extension('x')",
        "SELECT zeroblob(1000000000)", "SELECT length(zeroblob(1000000000))",
        "SELECT hex(randomblob(100000000))", "DELETE FROM node",
        // Seconds and more: 500,000 places, at each of which 500,000 bytes are
        // compared.
        "SELECT instr(hex(zeroblob(500000)), hex(zeroblob(250000)) || '1')"}) {
    const auto asked = ask(sql, {});
    ASSERT_FALSE(asked.has_value()) << sql;
    EXPECT_EQ(asked.error().code, Errc::kUsage) << sql;
  }
}

// The longest source has 256 KiB.
TEST_P(QueryTest, WhoIsNotTrustedReadsTextsAsLongAsSourcesAre) {
  const auto asked = [&](std::int64_t bytes) {
    Sheet sheet;
    const auto more =
        QueryWithin(database_, "SELECT zeroblob(" + std::to_string(bytes) + ")",
                    {}, Into(sheet));
    return more ? "" : more.error().what;
  };
  EXPECT_EQ(asked(256 << 10), "");
  EXPECT_EQ(asked(kMostOfAskedValue), "");
  EXPECT_EQ(asked(kMostOfAskedValue + 1),
            "SQL: a value is larger than it may be");
}

// Each call takes about a millisecond, and there is one a row.
TEST_P(QueryTest, FunctionsOfLongValuesAreGivenUpBetweenFewRows) {
  int asked = 0;
  database_.GiveUpWhen([&asked] { return ++asked == 3; });
  int rows = 0;
  const auto given_up = QueryWithin(
      database_,
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
      " SELECT length(hex(zeroblob(100000 + i))) FROM n",
      {}, {.header = {}, .row = [&](const std::vector<Value>&) { ++rows; }});
  database_.GiveUpWhen({});
  ASSERT_FALSE(given_up);
  EXPECT_EQ(given_up.error().code, Errc::kTimeout);
  EXPECT_LT(rows, 100);
}

INSTANTIATE_TEST_SUITE_P(
    Access, QueryTest, ::testing::Values(Access::kReadOnly, Access::kReadWrite),
    [](const auto& instance) {
      return instance.param == Access::kReadOnly ? "ReadOnly" : "ReadWrite";
    });

}  // namespace
}  // namespace coppice::store
