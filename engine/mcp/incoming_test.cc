#include "engine/mcp/incoming.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coppice::mcp {
namespace {

using ::testing::HasSubstr;

TEST(IncomingTest, IdsAreKeptAsTheyCame) {
  EXPECT_EQ(ReadMessage(R"({"jsonrpc":"2.0","id":0,"method":"ping"})")->id,
            "0");
  EXPECT_EQ(ReadMessage(R"({"jsonrpc":"2.0","id":"0","method":"ping"})")->id,
            R"("0")");
  EXPECT_TRUE(ReadMessage(R"({"jsonrpc":"2.0","method":"notifications/x"})")
                  ->IsNotification());
}

TEST(IncomingTest, TheEraIsWhatMetaSays) {
  const auto modern = ReadMessage(
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{)"
      R"("name":"echo","arguments":{"word":"a","n":2},"_meta":{)"
      R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
      R"("io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},)"
      R"("io.modelcontextprotocol/clientCapabilities":{},)"
      R"("progressToken":"p"}}})");
  ASSERT_TRUE(modern);
  EXPECT_TRUE(modern->IsModern());
  EXPECT_EQ(modern->version, "2026-07-28");
  EXPECT_TRUE(modern->has_capabilities);
  EXPECT_EQ(modern->client, "t");
  EXPECT_EQ(modern->progress_token, R"("p")");
  EXPECT_EQ(modern->name, "echo");
  EXPECT_EQ(modern->words.at("n"), "2");
  const auto legacy = ReadMessage(
      R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{)"
      R"("protocolVersion":"2025-06-18","clientInfo":{"name":"t"}}})");
  EXPECT_FALSE(legacy->IsModern());
  EXPECT_EQ(legacy->offered, "2025-06-18");
  EXPECT_EQ(legacy->client, "t");
}

TEST(IncomingTest, WhatIsWrongHasItsCode) {
  const std::string deep(100, '[');
  const struct {
    std::string text;
    int code;
    std::string id;
  } cases[] = {
      {"{", kParseError, ""},
      {"\xFF", kParseError, ""},
      {"[]", kInvalidRequest, ""},
      {"7", kInvalidRequest, ""},
      {R"({"id":1,"method":"ping"})", kInvalidRequest, "1"},
      {R"({"jsonrpc":"2.0","id":null,"method":"ping"})", kInvalidRequest, ""},
      {R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})", kInvalidRequest, ""},
      {R"({"jsonrpc":"2.0","id":1,"method":7})", kInvalidRequest, "1"},
      {R"({"jsonrpc":"2.0","id":1,"method":"x","params":[]})", kInvalidParams,
       "1"},
      {R"({"jsonrpc":"2.0","id":1,"method":"x","params":{"arguments":[]}})",
       kInvalidParams, "1"},
      {R"({"jsonrpc":"2.0","id":1,"method":"x","params":{"a":)" + deep +
           std::string(100, ']') + "}}",
       kInvalidRequest, ""},
      {std::string(kMessageBytes + 1, ' '), kInvalidRequest, ""},
  };
  for (const auto& [text, code, id] : cases) {
    const auto read = ReadMessage(text);
    ASSERT_FALSE(read) << text.substr(0, 80);
    EXPECT_EQ(read.error().code, code) << text.substr(0, 80);
    EXPECT_EQ(read.error().id, id) << text.substr(0, 80);
  }
}

// We ask a client for nothing, so it answers nothing of ours.
TEST(IncomingTest, AnswersOfAClientArePassedOver) {
  const auto read = ReadMessage(R"({"jsonrpc":"2.0","id":1,"result":{}})");
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->IsNotification());
}

}  // namespace
}  // namespace coppice::mcp
