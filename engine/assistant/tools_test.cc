#include "engine/assistant/tools.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "store/scratch.h"

namespace coppice::assistant {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class ToolsTest : public ::testing::Test {
 protected:
  ToolsTest() {
    store::Grow(database_, campaign_, kRootNode,
                {.source = "a\nb\n", .runtime_s = 0.5});
    store::Grow(database_, campaign_, NodeId{1}, {.source = "a\nc\n"});
  }

  ToolResult Run(const std::string& name, const std::string& arguments) {
    return tools_.Run({"c1", name, arguments});
  }

  bool Knows(const std::string& number) const {
    return tools_.numbers().Has(FindNumbers(number).at(0));
  }

  store::ScratchDirectory directory_;
  store::Database database_ = store::NewFile(directory_.File("x.db"));
  CampaignId campaign_ = store::Plant(database_, "a");
  double now_s_ = 0.0;
  Tools tools_{database_, "a", [this] { return now_s_; }};
};

TEST_F(ToolsTest, EachToolThatIsDescribedRuns) {
  for (const agents::Tool& tool : Tools::Descriptions()) {
    const ToolResult result =
        Run(tool.name,
            R"({"n":1,"a":1,"b":2,"d":0,"decision":0,"text":"tile",)"
            R"("query":"SELECT 1","kind":"note","why":"so","view":"nodes"})");
    EXPECT_EQ(result.error, "") << tool.name;
    EXPECT_EQ(result.card.has_value(), tool.name == "propose");
  }
}

TEST_F(ToolsTest, RowsHaveColumnsAndTheirNumbersAreKnown) {
  EXPECT_FALSE(Knows("8"));
  const ToolResult result = Run("node", R"({"n": 1})");
  // The root takes 4 s.
  EXPECT_THAT(result.text, AllOf(HasSubstr(R"("columns":["campaign","task")"),
                                 HasSubstr(R"("quoted_source":"a\nb\n")")));
  EXPECT_EQ(result.rows, 1);
  EXPECT_TRUE(Knows("8.0"));
}

TEST_F(ToolsTest, TextsOfStrangersAreSaidToBeNoInstructions) {
  for (const char* name : {"node", "log", "profile"}) {
    EXPECT_THAT(Run(name, R"({"n": 1})").text, HasSubstr("no instructions"));
  }
}

TEST_F(ToolsTest, ADiffIsOfTwoSources) {
  EXPECT_THAT(Run("diff", R"({"a": 1, "b": 2})").text, HasSubstr(R"(-b\n+c)"));
}

TEST_F(ToolsTest, ViewsAreListedWithTheirComments) {
  EXPECT_THAT(Run("views", "{}").text,
              AllOf(HasSubstr(R"(["leaderboard",)"),
                    Not(HasSubstr(R"(["speedup_low",)"))));
  EXPECT_THAT(Run("views", R"({"view": "leaderboard"})").text,
              HasSubstr(R"(["speedup_low",)"));
}

TEST_F(ToolsTest, SqlReadsAndNoMore) {
  EXPECT_THAT(
      Run("sql", R"({"query": "SELECT count(*) AS k FROM nodes"})").text,
      HasSubstr(R"({"columns":["k"],"rows":[[3]]})"));
  for (const char* sql :
       {"DELETE FROM node", "ATTACH 'x' AS y", "PRAGMA journal_mode = DELETE",
        "SELECT load_extension('x')", "VACUUM", "SELECT 1; DROP TABLE node"}) {
    EXPECT_NE(Run("sql", std::string(R"({"query": ")") + sql + "\"}").error, "")
        << sql;
  }
  EXPECT_EQ(store::Rows(database_, "SELECT count(*) FROM node"),
            std::vector<std::string>{"3"});
}

TEST_F(ToolsTest, SqlHas200RowsAndTwoSeconds) {
  const ToolResult rows = Run(
      "sql",
      R"({"query": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1)"
      R"( FROM n WHERE i < 300) SELECT i FROM n"})");
  EXPECT_EQ(rows.rows, 200);
  EXPECT_THAT(rows.text, HasSubstr(R"("cut":true)"));
  // A second each time that it looks.
  Tools hurried(database_, "a", [this] { return now_s_ += 1.0; });
  const ToolResult late = hurried.Run(
      {"c", "sql",
       R"({"query": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1)"
       R"( FROM n) SELECT count(*) FROM n"})"});
  EXPECT_THAT(late.error, HasSubstr("longer than it may"));
}

TEST_F(ToolsTest, WhatMakesNoSenseIsToldToTheModel) {
  EXPECT_THAT(Run("rm", "{}").text, HasSubstr("there is no tool 'rm'"));
  EXPECT_THAT(Run("node", "{\"n\":").text, HasSubstr("no JSON object"));
  EXPECT_THAT(Run("node", R"({"n": "1"})").text,
              HasSubstr("n: expected a whole number"));
  EXPECT_THAT(Run("node", R"({"n": 77})").text,
              HasSubstr("there is no node 77 in campaign 'a'"));
  EXPECT_THAT(Run("log", R"({"n": 1, "campaign": "b"})").error,
              HasSubstr("campaign 'b'"));
  EXPECT_THAT(Run("node", std::string(100000, '[')).error,
              HasSubstr("no JSON object"));
}

TEST_F(ToolsTest, AProposalIsACardAndNoRow) {
  const std::string seals = "SELECT of_table, block, sum FROM seal";
  const auto before = store::Rows(database_, seals);
  const ToolResult result = Run(
      "propose",
      R"({"kind":"freeze","subject":"n:1","payload":"","why":"It fails."})");
  ASSERT_TRUE(result.card);
  EXPECT_EQ(result.card->kind, "freeze");
  EXPECT_EQ(result.card->subject, "n:1");
  EXPECT_EQ(result.card->why, "It fails.");
  EXPECT_EQ(store::Rows(database_, seals), before);
  EXPECT_NE(Run("propose", R"({"kind":"freeze"})").error, "");
}

// A kind that steering comes to know is one that can be proposed.
TEST_F(ToolsTest, EveryKindOfDirectiveCanBeProposed) {
  const auto tools = Tools::Descriptions();
  const auto propose =
      std::ranges::find(tools, std::string("propose"), &agents::Tool::name);
  ASSERT_NE(propose, tools.end());
  for (int i = 0; i < kDirectiveKinds; ++i) {
    const std::string kind(Name(static_cast<DirectiveKind>(i)));
    EXPECT_THAT(propose->parameters, HasSubstr('"' + kind + '"'));
    EXPECT_TRUE(Run("propose", R"({"kind":")" + kind + R"(","why":"x"})").card);
  }
  EXPECT_THAT(Run("propose", R"({"kind":"forget","why":"x"})").error,
              HasSubstr("\"judge\""));
}

TEST_F(ToolsTest, LongTextsAreCutBetweenCharacters) {
  std::string source;
  for (int i = 0; i < 10000; ++i) source += "\xC3\xA4";  // 20,000 bytes.
  store::Grow(database_, campaign_, kRootNode, {.source = source});
  const ToolResult result = Run("node", R"({"n": 3})");
  EXPECT_THAT(result.text, AllOf(HasSubstr(R"("quoted_source_bytes":20000)"),
                                 Not(HasSubstr("\xEF\xBF\xBD"))));
}

// 200 rows of 2,000 bytes are more than a model is to read.
TEST_F(ToolsTest, CellsAndResultsAreCut) {
  const ToolResult result =
      Run("sql",
          R"({"query": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT)"
          R"( i + 1 FROM n WHERE i < 150) SELECT hex(zeroblob(1001)), i FROM)"
          R"( n"})");
  EXPECT_EQ(result.error, "");
  EXPECT_THAT(result.text,
              AllOf(HasSubstr("000 ...\",1]"), HasSubstr(R"("cut":true)")));
  // 2,004 bytes a cell, and some of each row's own: no 15 are in 30,000.
  EXPECT_EQ(result.rows, 14);
  EXPECT_TRUE(Knows("14"));
  EXPECT_FALSE(Knows("15"));  // What was cut was not shown.
}

TEST_F(ToolsTest, ALogIsReadFromWhereOneLikes) {
  const auto quoted = [this](const std::string& from) {
    return Run("log", R"({"n": 1, "from": )" + from + "}").text;
  };
  const std::string whole = quoted("0");
  // In front of the first and behind the last byte there is nothing.
  EXPECT_EQ(quoted("-5"), whole);
  EXPECT_EQ(quoted("\"x\""), whole);
  EXPECT_THAT(quoted("1000000"), HasSubstr(R"("quoted_log":"")"));
}

TEST_F(ToolsTest, ASearchAndAProposalNeedWords) {
  EXPECT_EQ(Run("search", "{}").error, "text: expected a text");
  EXPECT_EQ(Run("search", R"({"text": 7})").error, "text: expected a text");
  EXPECT_EQ(Run("search", R"({"text": "TILE"})").rows, 2);
  EXPECT_EQ(Run("search", R"({"text": "tile", "campaign": "b"})").rows, 0);
  EXPECT_EQ(Run("propose", R"({"why":"so"})").error,
            "expected a kind, and why");
}

TEST_F(ToolsTest, WhatIsCitedExistsOrNot) {
  const auto exists = [this](std::string_view text) {
    return store::Must(tools_.Exists(FindCitations(text).at(0)));
  };
  EXPECT_TRUE(exists("[[n:2]]"));
  EXPECT_TRUE(exists("[[n:0..n:2]]"));
  EXPECT_TRUE(exists("[[a/d:1]]"));
  EXPECT_FALSE(exists("[[n:3]]"));
  EXPECT_FALSE(exists("[[n:2..n:3]]"));
  EXPECT_FALSE(exists("[[d:2]]"));
  EXPECT_FALSE(exists("[[b/n:1]]"));
  EXPECT_FALSE(exists("[[n:x]]"));
}

}  // namespace
}  // namespace coppice::assistant
