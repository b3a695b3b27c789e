#include "engine/service/http_front.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

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
