#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/cli/cli_fixture.h"

namespace coppice::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class SqlTest : public ::testing::Test, protected Rehearsal {};

TEST_F(SqlTest, PrintsATable) {
  EXPECT_EQ(Say({"sql", "SELECT node, verdict, speedup FROM nodes"}).out,
            "node  verdict  speedup\n"
            "   0  passed         1\n"
            "   1  passed         2\n"
            "   2  crashed\n"
            "   3  passed         4\n");
}

TEST_F(SqlTest, ReadsFromStandardInput) {
  EXPECT_EQ(Say({"sql"}, "SELECT 1 AS a\n").out, "a\n1\n");
  EXPECT_EQ(Say({"sql", "-"}, "SELECT 1 AS a\n").out, "a\n1\n");
}

TEST_F(SqlTest, JsonKeepsTypesAndOrder) {
  EXPECT_EQ(
      Say({"sql", "--json",
           "VALUES (1, 0.1, 'say \"x\"', NULL), (2, 1e300, '', NULL)"})
          .out,
      "[\n"
      "{\"column1\":1,\"column2\":0.1,\"column3\":\"say \\\"x\\\"\","
      "\"column4\":null},\n"
      "{\"column1\":2,\"column2\":1e+300,\"column3\":\"\",\"column4\":null}\n"
      "]\n");
}

TEST_F(SqlTest, JsonOfNoRowsIsAnEmptyArray) {
  EXPECT_EQ(Say({"sql", "--json", "SELECT 1 WHERE 0"}).out, "[]\n");
}

TEST_F(SqlTest, CsvQuotesWhatNeedsIt) {
  EXPECT_EQ(Say({"sql", "--csv",
                 "SELECT 'a,b' AS x, 'say \"y\"' AS \"p,q\", 0.1 AS z"})
                .out,
            "x,\"p,q\",z\n"
            "\"a,b\",\"say \"\"y\"\"\",0.1\n");
}

TEST_F(SqlTest, RealsReadBackAsTheyWere) {
  EXPECT_EQ(Say({"sql", "--csv", "SELECT 1.0/3 AS x"}).out,
            "x\n0.33333333333333331\n");
}

TEST_F(SqlTest, BadAndWritingSqlAreUsageErrors) {
  const Said bad = Say({"sql", "SELEC 1"});
  EXPECT_EQ(bad.exit, Exit::kUsage);
  EXPECT_THAT(bad.err, StartsWith("coppice sql: SQL: near \"SELEC\""));
  const Said writing = Say({"sql", "DELETE FROM node"});
  EXPECT_EQ(writing.exit, Exit::kUsage);
  EXPECT_THAT(writing.err, HasSubstr("one reading statement is allowed"));
  EXPECT_EQ(Say({"sql"}, "").exit, Exit::kUsage);
}

TEST_F(SqlTest, TakesOneFormat) {
  EXPECT_EQ(Say({"sql", "SELECT 1", "--json", "--csv"}).err,
            "coppice sql: --json or --csv, not both\n");
}

TEST_F(SqlTest, ADatabaseIsNamedByItsOption) {
  const Said said = Say({"sql", "other.db"});
  EXPECT_EQ(said.exit, Exit::kUsage);
  EXPECT_EQ(said.err,
            "coppice sql: 'other.db' is no SQL; a file is named by --db "
            "other.db\n");
}

// Programs get the columns, whatever there is of rows.
TEST_F(SqlTest, AnAnswerWithoutRowsHasItsColumns) {
  const char* none = "SELECT node, verdict FROM nodes WHERE node > 9";
  EXPECT_EQ(Say({"sql", "--csv", none}).out, "node,verdict\n");
  EXPECT_EQ(Say({"sql", "--json", none}).out, "[]\n");
  EXPECT_EQ(Say({"sql", none}).exit, Exit::kDone);
}

TEST_F(SqlTest, WhatIsMistypedIsNamedAndNothingIsPrinted) {
  const struct {
    const char* sql;
    const char* what;
  } kCases[] = {
      {"SELECT nod FROM nodes", "no such column: nod"},
      {"SELECT node FROM noeds", "no such table: noeds"},
      {"SELECT count(node FROM nodes", "syntax error"},
      {"SELECT 1; SELECT 2", "one reading statement is allowed"},
      {"DROP TABLE node", "one reading statement is allowed"},
      {"PRAGMA user_version = 1", "one reading statement is allowed"},
  };
  for (const auto& [sql, what] : kCases) {
    for (const char* form : {"--json", "--csv"}) {
      const Said said = Say({"sql", form, sql});
      EXPECT_EQ(said.exit, Exit::kUsage) << sql;
      EXPECT_THAT(said.err, HasSubstr(what));
      EXPECT_EQ(std::ranges::count(said.err, '\n'), 1) << said.err;
    }
  }
  EXPECT_EQ(Say({"sql", "--csv", "SELECT count(*) AS n FROM nodes"}).out,
            "n\n4\n");
}

TEST_F(SqlTest, WhatIsStoredCannotSteerTheTerminal) {
  EXPECT_EQ(Say({"sql", "SELECT 'a' || char(27) || '[2J' AS x"}).out,
            "x\na?[2J\n");
  // Programs get it as it is.
  EXPECT_EQ(Say({"sql", "--csv", "SELECT 'a' || char(27) || '[2J' AS x"}).out,
            "x\na\033[2J\n");
}

TEST_F(SqlTest, BlobTextIsTheTextOfABlob) {
  EXPECT_EQ(Say({"sql", "--csv",
                 "SELECT blob_text(source_blob) AS s FROM nodes WHERE node = "
                 "0"})
                .out,
            "s\nroot kernel\n");
}

}  // namespace
}  // namespace coppice::cli
