// What all routes have in common: whatever they are asked, they answer in one
// way, and what is wrong is one line.
#include "engine/inspector/routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "engine/inspector/pages_fixture.h"

namespace coppice::inspector {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class RoutesTest : public PagesTest {
 protected:
  RoutesTest() {
    store::Grow(first_, a_, kRootNode, {.source = "x", .runtime_s = 2.0});
    store::Grow(first_, a_, NodeId{1}, {.verdict = Verdict::kCrashed});
  }

  // Fails unless it is JSON with one line that says what is wrong.
  static void ExpectOneLine(const http::Answer& answer,
                            const std::string& what) {
    EXPECT_GE(answer.status, 400) << what;
    EXPECT_LT(answer.status, 500) << what << answer.body;
    const json body = json::parse(answer.body, nullptr, false);
    ASSERT_TRUE(body.is_object()) << what << answer.body;
    const std::string line = body["error"];
    EXPECT_FALSE(line.empty()) << what;
    EXPECT_EQ(line.find('\n'), std::string::npos) << what << line;
    EXPECT_LT(line.size(), 1000u) << what;
  }

  std::vector<std::string> Everything() {
    return store::Rows(first_,
                       "SELECT (SELECT count(*) FROM nodes),"
                       " (SELECT count(*) FROM attempts),"
                       " (SELECT count(*) FROM claims),"
                       " (SELECT count(*) FROM directives)");
  }
};

TEST_F(RoutesTest, NoTwoAreAskedAlike) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const Route& route : Routes()) {
    EXPECT_TRUE(seen.insert({route.method, route.path}).second) << route.path;
    EXPECT_THAT(std::string(route.path), StartsWith("/api/"));
    // Nothing that is got changes anything.
    EXPECT_TRUE(route.method == "POST" || route.is_question) << route.path;
  }
}

// A campaign that is there, and a node and a call of it.
TEST_F(RoutesTest, EachThatIsGotAnswersOfACampaignThatIsThere) {
  for (const Route& route : Routes()) {
    if (route.method != "GET") continue;
    const std::string target =
        std::string(route.path) + "?c=a&n=1&d=0&call=1&sql=SELECT+1";
    const http::Answer answer = Ask(target);
    EXPECT_EQ(answer.status, 200) << target << answer.body;
    if (answer.type == "application/json") {
      EXPECT_TRUE(json::accept(answer.body)) << target;
    }
  }
}

TEST_F(RoutesTest, ACampaignOrFileThatIsNotThereIsNotFound) {
  for (const Route& route : Routes()) {
    if (route.method != "GET") continue;
    const std::string path(route.path);
    const http::Answer none = Ask(path + "?c=zz&n=1&d=0&call=1&sql=SELECT+1");
    const http::Answer beyond =
        Ask(path + "?c=a&db=2&n=1&d=0&call=1&sql=SELECT+1");
    // Those of all files together ask for neither.
    const bool is_of_all = none.status == 200 && beyond.status == 200;
    if (is_of_all) continue;
    EXPECT_EQ(beyond.status, 404) << path << beyond.body;
    if (none.status != 200) {
      EXPECT_EQ(none.status, 404) << path << none.body;
      ExpectOneLine(none, path);
    }
    ExpectOneLine(beyond, path);
  }
}

TEST_F(RoutesTest, ANumberThatIsNoneIsRefusedInOneLine) {
  const std::vector<std::string> wrong = {
      "-1",  "1.5", "1e3",  "x",   "9223372036854775808", "%00",
      "0x1", "+1",  "1%20", "%20", "%F0%9F%98%80",        "1%0A2"};
  for (const char* target :
       {"/api/node?c=a&n=", "/api/source?c=a&n=", "/api/lineage?c=a&n=",
        "/api/calls?c=a&n=", "/api/samples?c=a&n=1&ordinal=",
        "/api/samples?c=a&n=", "/api/decision?c=a&d=", "/api/call?c=a&call=",
        "/api/nodes?c=a&from=", "/api/nodes?c=a&limit=", "/api/tree?c=a&from=",
        "/api/spend?from=", "/api/spend?limit=", "/api/campaign?c=a&db=",
        "/api/history?c=a&n="}) {
    for (const std::string& number : wrong) {
      const http::Answer answer = Ask(target + number);
      EXPECT_EQ(answer.status, 400) << target << number << answer.body;
      ExpectOneLine(answer, target + number);
    }
  }
}

// The largest number that there is, is one.
TEST_F(RoutesTest, AnEnormousNumberIsNoPlaceInATree) {
  const std::string most = "9223372036854775807";
  for (const char* target :
       {"/api/nodes?c=a&from=", "/api/nodes?c=a&limit=", "/api/tree?c=a&from=",
        "/api/spend?from=", "/api/spend?limit="}) {
    EXPECT_EQ(Ask(target + most).status, 200) << target;
  }
  for (const char* target :
       {"/api/node?c=a&n=", "/api/lineage?c=a&n=", "/api/decision?c=a&d=",
        "/api/call?c=a&call=", "/api/campaign?c=a&db="}) {
    const http::Answer answer = Ask(target + most);
    EXPECT_EQ(answer.status, 404) << target << answer.body;
    ExpectOneLine(answer, target);
  }
}

TEST_F(RoutesTest, AHostileNameIsOnlyAName) {
  for (const char* name :
       {"'%20OR%201=1", "a';DROP+TABLE+node;--", "%00", "a%00", "..%2Fa",
        "%FF%FE", "%0A", "a%0Ab", "", "A"}) {
    for (const char* path : {"/api/campaign?c=", "/api/tree?c=",
                             "/api/directives?c=", "/api/nodes?c="}) {
      const http::Answer answer = Ask(std::string(path) + name);
      EXPECT_EQ(answer.status, 404) << path << name << answer.body;
    }
  }
  EXPECT_EQ(Get("/api/campaigns").size(), 2U);
}

TEST_F(RoutesTest, WhatIsPostedAndNoRequestChangesNothing) {
  const auto before = Everything();
  std::string deep(100'000, '[');
  const std::vector<std::string> bodies = {
      "",
      "null",
      "[]",
      "7",
      "\"c\"",
      "{",
      "{}",
      deep,
      "\xff\xfe",
      std::string("\0", 1),
      R"({"c":7})",
      R"({"c":"a","db":-1})",
      R"({"c":"a","db":1.5})",
      R"({"c":"a","db":"0"})",
      R"({"c":"a"})",
      R"({"c":"a","sql":7,"uuid":7,"kind":7,"id":"x","name":7,"source":7})",
      R"({"c":"a","sql":"","uuid":"","kind":"","name":"","source":""})"};
  for (const Route& route : Routes()) {
    if (route.method != "POST") continue;
    for (const std::string& body : bodies) {
      http::Request request{"POST", std::string(route.path)};
      request.body = body;
      const http::Answer answer = inspector_.Answer(request);
      // An answer without words cites nothing.
      if (answer.status == 200 && route.path == "/api/cites") continue;
      ExpectOneLine(answer, std::string(route.path) + " " + body.substr(0, 80));
    }
  }
  EXPECT_EQ(Everything(), before);
}

TEST_F(RoutesTest, ReadOnlyOnlyQuestionsAreAnswered) {
  Inspector reading({{first_path_}, true, "me"}, clock_);
  for (const Route& route : Routes()) {
    const http::Request request{std::string(route.method),
                                std::string(route.path)};
    const int status = reading.Answer(request).status;
    EXPECT_EQ(status == 405, !route.is_question) << route.path;
  }
}

TEST_F(RoutesTest, AnotherMethodIsRefusedAndNamed) {
  for (const Route& route : Routes()) {
    for (const char* method : {"PUT", "DELETE", "PATCH", "OPTIONS", "get"}) {
      const http::Answer answer =
          inspector_.Answer({method, std::string(route.path)});
      EXPECT_EQ(answer.status, 405) << route.path;
      EXPECT_THAT(Refusal(answer, 405), HasSubstr(method));
    }
  }
}

// Whole numbers of JSON are up to 2^64, and those of the file up to 2^63.
TEST_F(RoutesTest, ANumberBeyondThoseOfTheFileIsNoneOfItsNumbers) {
  const json base = {{"c", "a"},
                     {"uuid", "0190163d-8694-739b-aea5-966c26f8ad91"},
                     {"kind", "freeze"}};
  json freeze = base;
  freeze["subject"] = UINT64_MAX;
  EXPECT_EQ(Refusal(Post("/api/directives", freeze), 400),
            "subject: expected a whole number");
  json withdrawn = {{"c", "a"}, {"id", UINT64_MAX}};
  EXPECT_EQ(Refusal(Post("/api/directives/withdraw", withdrawn), 400),
            "id: expected a whole number");
  EXPECT_EQ(
      Refusal(Post("/api/sql", {{"sql", "SELECT 1"}, {"limit", UINT64_MAX}}),
              400),
      "limit: expected a whole number");
  EXPECT_THAT(Refusal(Post("/api/directives/withdraw",
                           {{"c", "a"}, {"id", 1}, {"db", UINT64_MAX}}),
                      404),
              StartsWith("db=18446744073709551615: "));
  EXPECT_THAT(store::Rows(first_, "SELECT directive FROM directives"),
              IsEmpty());
}

}  // namespace
}  // namespace coppice::inspector
