#include "engine/mcp/web.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "engine/mcp/test_operations.h"

namespace coppice::mcp {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

http::Request Post(const std::string& method, const std::string& params) {
  http::Request request{"POST", "/mcp"};
  request.body = LegacyMessage(method, params);
  return request;
}

http::Request PostModern(const std::string& method,
                         const std::string& params = "",
                         const std::string& name = "") {
  http::Request request{"POST", "/mcp"};
  request.body = ModernMessage(method, params);
  request.headers = {{"mcp-protocol-version", "2026-07-28"},
                     {"mcp-method", method}};
  if (!name.empty()) request.headers["mcp-name"] = name;
  return request;
}

class McpOverHttpTest : public ::testing::Test {
 protected:
  // All pieces of an answer, or its body.
  static std::string All(const http::Answer& answer) {
    if (!answer.pieces) return answer.body;
    std::string all;
    const std::atomic<bool> is_gone = false;
    answer.pieces([&](std::string piece) { all += piece; }, is_gone);
    return all;
  }
  std::string Named(const std::string& name) {
    http::Request request = Post("tools/call", R"("name":"echo")");
    if (!name.empty()) request.headers["mcp-session-id"] = name;
    const http::Answer answer = web_.Answer(request);
    return answer.status == 200 ? All(answer) : std::to_string(answer.status);
  }

  SetClock clock_;
  TestOperations operations_;
  int made_ = 0;
  Web web_{operations_.terms, clock_,
           [this] { return "session-" + std::to_string(++made_); }};
};

TEST_F(McpOverHttpTest, WhatIsQuickIsJsonAndAToolIsAStream) {
  const http::Answer list = web_.Answer(PostModern("tools/list"));
  EXPECT_EQ(list.status, 200);
  EXPECT_EQ(list.type, "application/json");
  EXPECT_THAT(list.body, HasSubstr("\"echo\""));
  const http::Answer call = web_.Answer(PostModern(
      "tools/call", R"("name":"echo","arguments":{"word":"a"})", "echo"));
  EXPECT_EQ(call.type, "text/event-stream");
  const std::string all = All(call);
  EXPECT_THAT(all, AllOf(HasSubstr("data: {"), HasSubstr(R"("word":"a")")));
  EXPECT_TRUE(all.ends_with("}\n\n"));
}

TEST_F(McpOverHttpTest, ModernHeadersMatchTheBody) {
  EXPECT_EQ(web_.Answer(PostModern("tools/call", R"("name":"echo")", "fail"))
                    .body.find("-32020") != std::string::npos,
            true);
  for (const char* header : {"mcp-method", "mcp-protocol-version"}) {
    http::Request request = PostModern("tools/list");
    request.headers.erase(header);
    const http::Answer answer = web_.Answer(request);
    EXPECT_EQ(answer.status, 400);
    EXPECT_THAT(answer.body, AllOf(HasSubstr("-32020"), HasSubstr(header)));
  }
  // "ZWNobw==" is "echo".
  EXPECT_EQ(web_.Answer(PostModern("tools/call", R"("name":"echo")",
                                   "=?base64?ZWNobw==?="))
                .status,
            200);
}

TEST_F(McpOverHttpTest, ErrorsHaveTheStatusOfTheirCode) {
  EXPECT_EQ(web_.Answer(PostModern("x/y")).status, 404);
  EXPECT_EQ(web_.Answer(PostModern("tools/call", R"("name":"x")", "x")).status,
            400);
  http::Request future = PostModern("tools/list");
  future.body.replace(future.body.find("2026"), 4, "2099");
  future.headers["mcp-protocol-version"] = "2099-07-28";
  EXPECT_EQ(web_.Answer(future).status, 400);
  http::Request broken{"POST", "/mcp"};
  broken.body = "{";
  EXPECT_EQ(web_.Answer(broken).status, 400);
  EXPECT_EQ(web_.Answer({"GET", "/mcp"}).status, 405);
  EXPECT_EQ(web_.Answer({"POST", "/other"}).status, 404);
}

TEST_F(McpOverHttpTest, ALegacyClientHasASessionUntilItDeletesIt) {
  const http::Answer hello =
      web_.Answer(Post("initialize", R"("protocolVersion":"2025-11-25")"));
  ASSERT_EQ(hello.headers.size(), 1U);
  EXPECT_EQ(hello.headers[0].first, "Mcp-Session-Id");
  const std::string name = hello.headers[0].second;
  EXPECT_EQ(name, "session-1");
  EXPECT_THAT(Named(name), HasSubstr("structuredContent"));
  EXPECT_THAT(Named(""), HasSubstr("structuredContent"));
  EXPECT_EQ(Named("session-2"), "404");
  http::Request note{"POST", "/mcp"};
  note.body = R"({"jsonrpc":"2.0","method":"notifications/initialized"})";
  EXPECT_EQ(web_.Answer(note).status, 202);
  http::Request goodbye{"DELETE", "/mcp"};
  goodbye.headers["mcp-session-id"] = name;
  EXPECT_EQ(web_.Answer(goodbye).status, 200);
  EXPECT_EQ(Named(name), "404");
}

TEST_F(McpOverHttpTest, AModernClientCancelsByGoingAway) {
  const http::Answer answer =
      web_.Answer(PostModern("tools/call", R"("name":"wait")", "wait"));
  std::atomic<bool> is_gone = false;
  std::string all;
  std::thread teller([&] {
    answer.pieces([&](std::string piece) { all += piece; }, is_gone);
  });
  operations_.AwaitWaiting(1);
  is_gone = true;
  teller.join();
  EXPECT_EQ(all, "");
}

TEST_F(McpOverHttpTest, TheEndCancelsAllAndNothingBegins) {
  const http::Answer answer =
      web_.Answer(Post("tools/call", R"("name":"wait")"));
  const std::atomic<bool> is_gone = false;
  std::thread teller(
      [&] { answer.pieces([](const std::string&) {}, is_gone); });
  operations_.AwaitWaiting(1);
  web_.End();
  teller.join();
  EXPECT_EQ(Named(""), "429");
}

TEST_F(McpOverHttpTest, OneTooManyIsTold) {
  std::vector<http::Answer> streams;
  for (std::size_t i = 0; i < kMostInFlight; ++i) {
    streams.push_back(
        web_.Answer(PostModern("tools/call", R"("name":"echo")", "echo")));
    EXPECT_EQ(streams.back().status, 200);
  }
  const http::Answer refused =
      web_.Answer(PostModern("tools/call", R"("name":"echo")", "echo"));
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.headers[0].first, "Retry-After");
  streams.clear();  // Nobody heard them: their places are free.
  EXPECT_EQ(
      web_.Answer(PostModern("tools/call", R"("name":"echo")", "echo")).status,
      200);
}

}  // namespace
}  // namespace coppice::mcp
