// status, query and get_node, over a history that a test has grown.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/service/json.h"
#include "engine/service/test_service.h"
#include "eval/host/whole_file.h"

namespace coppice::service {
namespace {

using store::Must;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class HistoryOperationsTest : public ::testing::Test {
 protected:
  Json Ask(const char* name, const Json& request) {
    return Json::parse(Must(service_.Ask(name, request.dump())));
  }
  Error Refused(const char* name, const Json& request) {
    const auto answer = service_.Ask(name, request.dump());
    EXPECT_FALSE(answer) << *answer;
    return answer ? Error{} : answer.error();
  }
  Json Query(const std::string& sql) { return Ask("query", {{"sql", sql}}); }
  Json Part(const char* part, int node = 1) {
    return Ask("get_node", {{"node", node}, {"part", part}});
  }

  TestService service_;
  store::Database database_ = store::NewFile(service_.database());
  const CampaignId campaign_ = store::Plant(database_, "gemm.stark.s1");
  const NodeId child_ = store::Grow(database_, campaign_, kRootNode,
                                    {.source = "a\nb\n", .runtime_s = 2.0});
};

TEST_F(HistoryOperationsTest, AColumnsUnitIsByTheEndOfItsName) {
  const Json columns = Query(
      "SELECT 1 AS run_s, 1 AS cost_usd, 1 AS read_bytes, 1 AS clock_mhz,"
      " 1 AS room_c, 1 AS input_tokens, 1 AS created_at, 1 AS size_mb,"
      " 1 AS node, 1 AS seconds")["columns"];
  std::vector<std::string> units;
  for (const Json& column : columns) {
    const Json& unit = column["unit"];
    units.push_back(unit.is_null() ? "-" : unit.get<std::string>());
  }
  EXPECT_THAT(units,
              ::testing::ElementsAre("s", "usd", "bytes", "MHz", "C", "tokens",
                                     "unix s", "MB", "-", "-"));
}

// A number with a fraction among whole ones is real, a text among numbers text.
TEST_F(HistoryOperationsTest, AColumnHasTheWidestTypeOfItsValues) {
  const auto type_of = [&](const std::string& values) {
    return Query("SELECT column1 AS v FROM (VALUES " + values +
                 ")")["columns"][0]["type"];
  };
  EXPECT_EQ(type_of("(1), (2)"), "integer");
  EXPECT_EQ(type_of("(1), (2.5), (NULL)"), "real");
  EXPECT_EQ(type_of("(1), ('x'), (2.5)"), "text");
  EXPECT_EQ(type_of("(NULL), (NULL)"), "null");
}

// An x and 1,000 characters of two bytes: byte 2,000 is in the last one.
TEST_F(HistoryOperationsTest, ALongCellIsCutBetweenCharacters) {
  const std::string cell = Query(
      "SELECT 'x' || replace(hex(zeroblob(1000)), '00', 'é')")["rows"][0][0];
  EXPECT_EQ(cell.size(), 1999U + std::string(" ...").size());
  EXPECT_THAT(cell, AllOf(StartsWith("xé"), ::testing::EndsWith("é ...")));
}

TEST_F(HistoryOperationsTest, RowsBeyondTheLimitAreLeftOutAndThatIsSaid) {
  const Json all = Query("SELECT node FROM nodes ORDER BY node");
  EXPECT_EQ(all["rows"], Json::parse("[[0],[1]]"));
  EXPECT_EQ(all["truncated"], false);
  const Json first =
      Ask("query", {{"sql", "SELECT node FROM nodes"}, {"limit", 1}});
  EXPECT_EQ(first["rows"].size(), 1U);
  EXPECT_EQ(first["truncated"], true);
  EXPECT_EQ(Refused("query", {{"sql", "SELECT 1"}, {"limit", 201}}).what,
            "limit: expected a whole number from 1 to 200");
}

TEST_F(HistoryOperationsTest, AnotherHistoryIsAskedByItsFile) {
  const store::ScratchDirectory directory;
  const auto path = directory.File("other.db");
  store::Database other = store::NewFile(path);
  store::Plant(other, "other");
  const Json names = Ask("query", {{"sql", "SELECT campaign FROM campaigns"},
                                   {"db", path.string()}});
  EXPECT_EQ(names["rows"], Json::parse(R"([["other"]])"));
}

TEST_F(HistoryOperationsTest, ANodeIsToldPartByPart) {
  EXPECT_EQ(Part("source")["text"], "a\nb\n");
  EXPECT_EQ(Part("source")["text_file"], nullptr);
  EXPECT_EQ(Part("log")["text"], "log: passed");
  const Json summary = Part("summary");
  EXPECT_EQ(summary["campaign"], "gemm.stark.s1");
  EXPECT_EQ(summary["summary"]["node"], 1);
  EXPECT_EQ(summary["summary"]["verdict"], "passed");
  EXPECT_THAT(std::string(Part("prompt")["text"]),
              AllOf(StartsWith("### system\nYou are an agent: plan\n"),
                    HasSubstr("### answer\nplan: tile the loop\n"),
                    HasSubstr("### answer\ncode: a\nb\n")));
}

TEST_F(HistoryOperationsTest, ADiffIsAgainstTheParentUnlessAnotherIsNamed) {
  const Json diff = Part("diff");
  EXPECT_EQ(diff["against"], 0);
  EXPECT_THAT(std::string(diff["text"]),
              AllOf(StartsWith("--- node 0\n+++ node 1\n"),
                    HasSubstr("-root kernel"), HasSubstr("+a\n+b\n")));
  const Json back =
      Ask("get_node", {{"node", 0}, {"part", "diff"}, {"against", 1}});
  EXPECT_THAT(std::string(back["text"]),
              StartsWith("--- node 1\n+++ node 0\n"));
  EXPECT_EQ(Refused("get_node", {{"node", 0}, {"part", "diff"}}).what,
            "against: the root has no parent; name one");
  EXPECT_EQ(Refused("get_node", {{"node", 1}, {"against", 0}}).what,
            "against: is of part diff");
}

TEST_F(HistoryOperationsTest, ALongTextIsCutAndWholeInAFile) {
  const std::string source = std::string(12'001, 'x') + "\n";
  store::Grow(database_, campaign_, kRootNode, {.source = source});
  const Json answer = Part("source", 2);
  EXPECT_EQ(answer["text"], std::string(12'000, 'x'));
  EXPECT_EQ(*eval::ReadWhole(answer["text_file"].get<std::string>()), source);
}

TEST_F(HistoryOperationsTest, ANodeThatIsNotThereIsNamedWithItsCampaign) {
  for (const char* part : {"summary", "source", "log", "prompt"}) {
    const Error error = Refused("get_node", {{"node", 9}, {"part", part}});
    EXPECT_EQ(error.code, Errc::kNotFound);
    EXPECT_EQ(error.what, "node: there is no node 9 in campaign gemm.stark.s1");
  }
  EXPECT_THAT(Refused("get_node", Json::object()).what,
              HasSubstr("node: missing"));
}

TEST_F(HistoryOperationsTest, ACampaignGoesByAPartOfItsName) {
  store::Plant(database_, "conv.stark.s1");
  const Json request = {{"node", 0}};
  EXPECT_EQ(Ask("get_node", request)["campaign"], "conv.stark.s1");  // Latest.
  const auto named = [&](const char* name) {
    Json more = request;
    more["campaign"] = name;
    return more;
  };
  EXPECT_EQ(Ask("get_node", named("gemm"))["campaign"], "gemm.stark.s1");
  EXPECT_THAT(Refused("get_node", named("stark")).what,
              HasSubstr("is a part of 2 campaigns' names"));
  EXPECT_THAT(Refused("status", {{"campaign", "zz"}}).what,
              HasSubstr("no campaign 'zz'"));
  EXPECT_EQ(Ask("status", {{"campaign", "conv"}})["campaigns"].size(), 1U);
}

// Two calls of $0.25; nobody runs it; the root is no attempt.
TEST_F(HistoryOperationsTest, TheStatusHasWhatACampaignCameTo) {
  const Json status = Ask("status", Json::object())["campaigns"][0];
  EXPECT_EQ(status["task"], "matmul");
  EXPECT_EQ(status["attempts"], 1);
  EXPECT_EQ(status["budget"], 100);
  EXPECT_EQ(status["best_node"], 1);
  EXPECT_EQ(status["best_speedup"], 2.0);
  EXPECT_EQ(status["interval"], nullptr);
  EXPECT_EQ(status["spend_usd"], 0.5);
  EXPECT_EQ(status["in_flight"], 0);
  EXPECT_EQ(status["state"], "interrupted");
  Must(store::Attempts(database_).Reserve(campaign_,
                                          store::ReservationOf(1, kRootNode)));
  EXPECT_EQ(Ask("status", Json::object())["campaigns"][0]["in_flight"], 1);
}

TEST_F(HistoryOperationsTest, BeforeItsRootACampaignHasNoBest) {
  Must(store::Campaigns(database_).Create(store::SpecNamed("later")));
  const Json status = Ask("status", {{"campaign", "later"}})["campaigns"][0];
  EXPECT_EQ(status["best_node"], nullptr);
  EXPECT_EQ(status["attempts"], 0);
  EXPECT_EQ(status["in_flight"], 0);
}

TEST(EmptyHistoryTest, WhatIsThereIsSaidToBeEmpty) {
  TestService service;
  store::NewFile(service.database());
  const auto status = service.Ask("status", R"({"campaign":"a"})");
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().what, HasSubstr("holds no campaign yet"));
  EXPECT_EQ(*service.Ask("status", "{}"), R"({"campaigns":[]})");
}

// It would have been the second part of a name that was not there.
TEST(EmptyHistoryTest, WithoutAHistoryOfItsOwnAnotherMayBeAsked) {
  TestService with;
  Service without(
      {.config = with.service().config(), .runner = with.service().runner()},
      with.service().clock());
  const auto ask = [&](const std::filesystem::path& path) {
    return FindOperation("query")->answer(
        without, {"test", {}, {}},
        Json({{"sql", "SELECT count(*) AS n FROM campaigns"},
              {"db", path.string()}})
            .dump());
  };
  const store::ScratchDirectory directory;
  const auto none = ask(directory.File("none.db"));
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().what, HasSubstr("none.db"));
  EXPECT_THAT(none.error().what, Not(HasSubstr("--db")));
  store::Database other = store::NewFile(directory.File("other.db"));
  store::Plant(other, "a");
  const auto one = ask(directory.File("other.db"));
  ASSERT_TRUE(one);
  EXPECT_EQ(Json::parse(*one)["rows"], Json::parse("[[1]]"));
}

// A file of that name could not be made.
TEST_F(HistoryOperationsTest, ALongTextOfALongNameIsCutAndInNoFile) {
  const CampaignId campaign = store::Plant(database_, std::string(300, 'n'));
  store::Grow(database_, campaign, kRootNode,
              {.source = std::string(13'000, 'x')});
  const Json answer = Part("source");
  EXPECT_EQ(answer["text"].get<std::string>().size(), 12'000U);
  EXPECT_EQ(answer["text_file"], nullptr);
}

// Only one question, which only reads, in so many bytes.
TEST_F(HistoryOperationsTest, AQuestionOnlyReads) {
  for (const char* sql :
       {"", ";", "SELEC 1", "SELECT 1; SELECT 2", "DELETE FROM node",
        "DROP VIEW nodes", "ATTACH 'x.db' AS x", "PRAGMA user_version = 9",
        "VACUUM", "SELECT * FROM no_such_view", "CREATE TABLE t(x)",
        "SELECT load_extension('x')"}) {
    EXPECT_EQ(Refused("query", {{"sql", sql}}).code, Errc::kUsage) << sql;
  }
  EXPECT_EQ(Query("SELECT count(*) AS n FROM nodes")["rows"],
            Json::parse("[[2]]"));
}

// Who no longer waits is not worked for; the connection is for the next.
TEST_F(HistoryOperationsTest, AQuestionEndsWithWhoAskedIt) {
  const auto stop = std::make_shared<std::stop_source>();
  stop->request_stop();
  const auto given_up = service_.Do(
      "query",
      {{"sql",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
        " SELECT count(*) FROM n"}},
      {"test", stop->get_token(), {}});
  ASSERT_FALSE(given_up);
  EXPECT_EQ(given_up.error().code, Errc::kTimeout);
  EXPECT_EQ(Query("SELECT 1")["rows"], Json::parse("[[1]]"));
}

// Texts are as long as sources may be, and no longer: functions of them take
// time by the square of that.
TEST_F(HistoryOperationsTest, AQuestionHoldsNoLongerTextThanASourceIs) {
  const auto length = [](std::int64_t bytes) {
    return "SELECT length(zeroblob(" + std::to_string(bytes) + ")) AS n";
  };
  EXPECT_EQ(Query(length(256 << 10))["rows"], Json::parse("[[262144]]"));
  EXPECT_EQ(
      Refused("query", {{"sql", "SELECT instr(hex(zeroblob(400000)), 'x')"}})
          .what,
      "SQL: a value is larger than it may be");
}

TEST_F(HistoryOperationsTest, WhatJsonCannotHoldIsStillAnAnswer) {
  const Json cells = Query(
      "SELECT 9e999 AS a, -9e999 AS b, NULL AS c, x'00ff' AS d,"
      " cast(x'ff' AS TEXT) AS e, 9223372036854775807 AS f")["rows"][0];
  ASSERT_EQ(cells.size(), 6U);
  EXPECT_EQ(cells[2], nullptr);
  EXPECT_EQ(cells[4], "\xef\xbf\xbd");
  EXPECT_EQ(cells[5], INT64_MAX);
}

}  // namespace
}  // namespace coppice::service
