#include "engine/service/http_front.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "engine/service/test_service.h"

namespace coppice::service {
namespace {

using Json = nlohmann::ordered_json;

http::Answer Post(TestService& service, const std::string& path,
                  const std::string& body) {
  return AnswerWeb(service.service(),
                   {.method = "POST", .path = path, .body = body});
}

TEST(HttpFrontTest, OperationsAreListedWithTheirSchemas) {
  TestService service;
  const auto answer =
      AnswerWeb(service.service(), {.method = "GET", .path = "/v1/operations"});
  const Json all = Json::parse(answer.body)["operations"];
  EXPECT_EQ(all.size(), Operations().size());
  EXPECT_EQ(all[0]["request_schema"]["type"], "object");
}

TEST(HttpFrontTest, TheListSaysWhatEachDoesToTheWorld) {
  TestService service;
  const Json all = Json::parse(
      AnswerWeb(service.service(), {.method = "GET", .path = "/v1/operations"})
          .body)["operations"];
  for (const Json& operation : all) {
    const Operation* known =
        FindOperation(operation["name"].get<std::string>());
    ASSERT_NE(known, nullptr);
    EXPECT_EQ(operation["read_only"], known->effects.read_only);
    EXPECT_EQ(operation["idempotent"], known->effects.idempotent);
    EXPECT_EQ(operation["open_world"], known->effects.open_world);
  }
}

// A stranger's path is not repeated at length.
TEST(HttpFrontTest, AnUnknownOperationIsToldWhereTheyAre) {
  TestService service;
  const auto answer = Post(service, "/v1/" + std::string(99, 'x'), "{}");
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(Json::parse(answer.body)["error"]["message"],
            "there is no operation '" + std::string(64, 'x') +
                "'; GET /v1/operations lists them");
  EXPECT_EQ(Post(service, "/v1/operations", "{}").status, 404);
}

// g++ would tell its lines: whoever has the token could read what we may.
TEST(HttpFrontTest, NoFileOfThisMachineIsOpenedForTheNetwork) {
  TestService service;
  const auto answer =
      Post(service, "/v1/evaluate_kernel",
           R"({"task":"row_sum","path":"/etc/passwd","tier":"check"})");
  EXPECT_EQ(Json::parse(answer.body)["error"]["message"],
            "path: no file is opened for who asks over a network; give source");
}

TEST(HttpFrontTest, AnotherMethodIsToldTheRightOne) {
  TestService service;
  const auto answer =
      AnswerWeb(service.service(), {.method = "PUT", .path = "/v1/query"});
  EXPECT_EQ(answer.status, 405);
  ASSERT_EQ(answer.headers.size(), 1u);
  EXPECT_EQ(answer.headers[0].first, "Allow");
  EXPECT_EQ(answer.headers[0].second, "POST");
}

TEST(HttpFrontTest, WhatOnlyReadsMayBeAskedOfWhoOnlyReads) {
  TestService service;
  const http::Request request{.method = "POST",
                              .path = "/v1/list_tasks",
                              .body = R"({"query":"gelu"})"};
  EXPECT_EQ(AnswerWeb(service.service(), request, Rights::kReading).status,
            200);
}

TEST(HttpFrontTest, AnswersAndErrorsHaveTheirStatus) {
  TestService service;
  const auto good = Post(service, "/v1/list_tasks", R"({"query":"gelu"})");
  EXPECT_EQ(good.status, 200);
  EXPECT_TRUE(Json::parse(good.body).contains("tasks"));
  const auto bad = Post(service, "/v1/list_tasks", R"({"quarry":"gelu"})");
  EXPECT_EQ(bad.status, 400);
  EXPECT_EQ(Json::parse(bad.body)["error"]["data"]["code"], "usage");
  EXPECT_EQ(Post(service, "/v1/none", "{}").status, 404);
  EXPECT_EQ(
      AnswerWeb(service.service(), {.method = "GET", .path = "/v1/list_tasks"})
          .status,
      405);
}

TEST(HttpFrontTest, WhereOnlyReadingIsRightNothingBegins) {
  TestService service;
  const http::Request request{.method = "POST",
                              .path = "/v1/start_campaign",
                              .body = R"({"task":"sim:basic","budget":1})"};
  EXPECT_EQ(AnswerWeb(service.service(), request, Rights::kReading).status,
            405);
}

TEST(HttpFrontTest, WhoWaitsWhenTheServiceEndsIsTold) {
  TestService service;
  service.service().End();
  const auto answer = Post(service, "/v1/evaluate_kernel",
                           R"({"task":"gelu_tanh","source":"x"})");
  EXPECT_EQ(answer.status, 409);
}

TEST(HttpFrontTest, OnlyItsOwnPathsAreOfOperations) {
  EXPECT_TRUE(IsOfOperations({.method = "GET", .path = "/v1/operations"}));
  EXPECT_FALSE(IsOfOperations({.method = "GET", .path = "/api/v1/x"}));
}

}  // namespace
}  // namespace coppice::service
