// GET /api/schema, POST /api/sql and GET /api/sql.csv: the limits of a
// stranger's question.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "engine/inspector/pages_fixture.h"

namespace coppice::inspector {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class SqlRouteTest : public PagesTest {
 protected:
  // 20,000 rows.
  static constexpr const char* kMany =
      "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
      " WHERE i < 20000) SELECT i FROM n";

  json Answered(const json& question) {
    const http::Answer answer = Post("/api/sql", question);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return json::parse(answer.body);
  }
  std::string Complaint(const json& question, int status = 400) {
    return Refusal(Post("/api/sql", question), status);
  }
};

// 0 rows are as few as nobody asks for, and were all of them once.
TEST_F(SqlRouteTest, NoLimitIsAboveTenThousandRows) {
  struct Case {
    json limit;
    std::size_t rows;
  };
  for (const Case& each :
       {Case{nullptr, 10'000}, Case{1, 1}, Case{0, 1}, Case{9'999, 9'999},
        Case{10'001, 10'000}, Case{INT64_MAX, 10'000}}) {
    const json answer = Answered({{"sql", kMany}, {"limit", each.limit}});
    EXPECT_EQ(answer["rows"].size(), each.rows) << each.limit;
    EXPECT_EQ(answer["truncated"], true);
  }
  EXPECT_THAT(Complaint({{"sql", kMany}, {"limit", -1}}),
              HasSubstr("limit: expected a whole number"));
  EXPECT_THAT(Complaint({{"sql", kMany}, {"limit", 1.5}}),
              HasSubstr("limit: expected a whole number"));
}

TEST_F(SqlRouteTest, AQuestionHasAsMuchTimeAsItSaysAndAMinuteAtMost) {
  constexpr const char* kEndless =
      "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
      " SELECT count(*) FROM n";
  for (const json& seconds : {json(0), json(-5), json(1e-9), json(-1e300)}) {
    EXPECT_THAT(Complaint({{"sql", kEndless}, {"seconds", seconds}}),
                HasSubstr("longer than it may"))
        << seconds;
  }
  EXPECT_EQ(Answered({{"sql", "SELECT 1"}, {"seconds", 1e300}})["rows"],
            json({{1}}));
  EXPECT_EQ(Complaint({{"sql", "SELECT 1"}, {"seconds", "2"}}),
            "seconds: expected a number");
}

// Both places are taken; each question gives its own back, whatever comes.
TEST_F(SqlRouteTest, TwoQuestionsAreAnsweredAtATime) {
  for (int i = 0; i < 3; ++i) Answered({{"sql", "SELECT 1"}});
  for (int i = 0; i < 3; ++i) Complaint({{"sql", "SELEC"}});
  inspector_.questions().acquire();
  Answered({{"sql", "SELECT 1"}});
  inspector_.questions().acquire();
  EXPECT_EQ(Complaint({{"sql", "SELECT 1"}}, 503),
            "two questions are being answered: ask again");
  EXPECT_EQ(Ask("/api/sql.csv?sql=SELECT+1").status, 503);
  inspector_.questions().release(2);
  Answered({{"sql", "SELECT 1"}});
}

TEST_F(SqlRouteTest, NothingIsWrittenReadElsewhereOrAskedTwice) {
  for (const char* sql :
       {"DELETE FROM node", "INSERT INTO node DEFAULT VALUES",
        "UPDATE campaign SET name = 'x'", "DROP TABLE node",
        "CREATE TEMP TABLE t (x)", "ATTACH 'b.db' AS b", "PRAGMA foreign_keys",
        "VACUUM INTO 'c.db'", "BEGIN", "SELECT 1; SELECT 2", "",
        "SELECT readfile('/etc/passwd')", "SELECT zeroblob(100000000)",
        "SELECT load_extension('x')", "--", "SELECT * FROM nodes WHERE ("}) {
    const std::string complaint = Complaint({{"sql", sql}});
    EXPECT_EQ(complaint.find('\n'), std::string::npos) << sql;
  }
  EXPECT_EQ(Answered({{"sql", "SELECT count(*) FROM nodes"}})["rows"],
            json({{1}}));
  EXPECT_FALSE(std::filesystem::exists(directory_.File("c.db")));
}

TEST_F(SqlRouteTest, EachFileIsAskedAlone) {
  const json question = {{"sql", "SELECT campaign FROM campaigns"}};
  EXPECT_EQ(Answered(question)["rows"], json({{"a"}}));
  json second = question;
  second["db"] = 1;
  EXPECT_EQ(Answered(second)["rows"], json({{"b"}}));
  second["db"] = 2;
  EXPECT_THAT(Complaint(second, 404), StartsWith("db=2: "));
}

TEST_F(SqlRouteTest, ATableOfTextsIsOneThatSpreadsheetsRead) {
  const http::Answer answer =
      Ask("/api/sql.csv?sql=SELECT+'a,b'+AS+%22x%22%22y%22,+'say+%22no%22',"
          "+char(10),+NULL,+0.1,+9e999");
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.type, "text/csv; charset=utf-8");
  EXPECT_THAT(answer.body, HasSubstr("\n\"a,b\",\"say \"\"no\"\"\",\"\n\",,"));
  EXPECT_THAT(answer.body, StartsWith("\"x\"\"y\","));
  EXPECT_EQ(Refusal(Ask("/api/sql.csv"), 400).find('\n'), std::string::npos);
}

TEST_F(SqlRouteTest, TheGuideNamesViewsWithTheirColumns) {
  const json guide = Get("/api/schema");
  bool has_nodes = false;
  for (const json& view : guide) {
    EXPECT_FALSE(view["columns"].empty()) << view["view"];
    // What the guide names can be asked for.
    std::string columns;
    for (const json& column : view["columns"]) {
      columns += (columns.empty() ? "" : ", ") +
                 ("\"" + column["name"].get<std::string>() + "\"");
    }
    Answered({{"sql", "SELECT " + columns + " FROM " +
                          view["view"].get<std::string>() + " LIMIT 1"}});
    has_nodes |= view["view"] == "nodes";
  }
  EXPECT_TRUE(has_nodes);
}

}  // namespace
}  // namespace coppice::inspector
