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

// What is of another type is as if it were not there, and no reason to fail.
TEST(IncomingTest, MembersOfOtherTypesArePassedOver) {
  const auto read = ReadMessage(
      R"({"jsonrpc":"2.0","id":1,"method":"x","params":{"name":7,"uri":[],)"
      R"("cursor":{},"requestId":1.5,"protocolVersion":3,"clientInfo":"me",)"
      R"("arguments":null,"_meta":"none"}})");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->name, "");
  EXPECT_EQ(read->uri, "");
  EXPECT_EQ(read->cursor, "");
  EXPECT_EQ(read->cancelled, "");
  EXPECT_EQ(read->offered, "");
  EXPECT_EQ(read->client, "");
  EXPECT_EQ(read->arguments, "");
  EXPECT_FALSE(read->IsModern());
}

// A version that is no text is one that nobody knows, and modern all the same.
TEST(IncomingTest, AVersionThatIsNoTextIsOneOfTheFuture) {
  for (const char* version : {"7", "null", "[]", "{}", "true"}) {
    const auto read = ReadMessage(
        R"({"jsonrpc":"2.0","id":1,"method":"x","params":{"_meta":{)"
        R"("io.modelcontextprotocol/protocolVersion":)" +
        std::string(version) + "}}}");
    ASSERT_TRUE(read) << version;
    EXPECT_TRUE(read->IsModern()) << version;
    EXPECT_EQ(read->version, version);
    EXPECT_FALSE(read->has_capabilities);
  }
}

TEST(IncomingTest, AnIdMayBeAnyWholeNumberOrText) {
  for (const char* id : {"-9223372036854775808", "18446744073709551615", "0",
                         R"("")", R"("a\"b\n")"}) {
    const auto read = ReadMessage(R"({"jsonrpc":"2.0","method":"x","id":)" +
                                  std::string(id) + "}");
    ASSERT_TRUE(read) << id;
    EXPECT_EQ(read->id, id);
    EXPECT_FALSE(read->IsNotification());
  }
  for (const char* id : {"true", "[]", "{}", "1e99", "1.0"}) {
    EXPECT_FALSE(ReadMessage(R"({"jsonrpc":"2.0","method":"x","id":)" +
                             std::string(id) + "}"))
        << id;
  }
}

// As long as may be, and one byte more.
TEST(IncomingTest, AMessageHasAMegabyteAtMost) {
  const std::string message = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
  const std::string most =
      message + std::string(kMessageBytes - message.size(), ' ');
  EXPECT_TRUE(ReadMessage(most));
  EXPECT_FALSE(ReadMessage(most + " "));
}

// Arguments in words are for prompts, whose arguments are texts.
TEST(IncomingTest, ArgumentsAreAlsoWords) {
  const auto read = ReadMessage(
      R"({"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{)"
      R"("name":"debug","arguments":{"node":7,"campaign":"a","x":null,)"
      R"("y":[1,"b"],"":true}}})");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->words.at("node"), "7");
  EXPECT_EQ(read->words.at("campaign"), "a");
  EXPECT_EQ(read->words.at("x"), "null");
  EXPECT_EQ(read->words.at("y"), R"([1,"b"])");
  EXPECT_EQ(read->words.at(""), "true");
}

}  // namespace
}  // namespace coppice::mcp
