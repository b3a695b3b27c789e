#include "agents/provider/session_output.h"

#include <gtest/gtest.h>

namespace coppice::agents {
namespace {

Prices TenAndFifty() {
  Prices prices;
  prices.rates = {10.0, 1.0, 10.0, 50.0};
  prices.version = "table";
  return prices;
}

// Lines in the form of `claude -p --output-format stream-json --verbose`.
constexpr const char* kInit =
    R"({"type":"system","subtype":"init","session_id":"s-1","tools":[]})"
    "\n";
constexpr const char* kFirst =
    R"({"type":"assistant","session_id":"s-1","message":{"id":"m1",)"
    R"("content":[{"type":"text","text":"a"}],"usage":{"input_tokens":100,)"
    R"("cache_read_input_tokens":900,"cache_creation_input_tokens":0,)"
    R"("output_tokens":1}}})"
    "\n";
// The same message, further on.
constexpr const char* kFirstAgain =
    R"({"type":"assistant","session_id":"s-1","message":{"id":"m1",)"
    R"("content":[{"type":"tool_use","id":"t","name":"x","input":{}}],)"
    R"("usage":{"input_tokens":100,"cache_read_input_tokens":900,)"
    R"("cache_creation_input_tokens":0,"output_tokens":20}}})"
    "\n";
constexpr const char* kResult =
    R"({"type":"result","subtype":"success","is_error":false,)"
    R"("session_id":"s-1","result":"done","stop_reason":"end_turn",)"
    R"("total_cost_usd":0.125,"usage":{"input_tokens":7},"modelUsage":{)"
    R"("m":{"inputTokens":100,"outputTokens":30,)"
    R"("cacheReadInputTokens":900,"cacheCreationInputTokens":0}}})"
    "\n";

TEST(SessionOutputTest, ClaudeTellsItsNameAndAtTheEndItsCost) {
  SessionOutput output(ExecAnswer::kClaude, std::nullopt);
  output.Add(kInit);
  EXPECT_EQ(output.own_id(), "s-1");
  EXPECT_FALSE(output.has_usage());
  EXPECT_FALSE(output.cost_usd());
  output.Add(std::string(kFirst) + kFirstAgain + kResult);
  EXPECT_EQ(output.cost_usd(), 0.125);
  EXPECT_EQ(output.price_version(), "provider");
  EXPECT_EQ(output.usage().input_tokens, 1000);
  EXPECT_EQ(output.usage().cached_input_tokens, 900);
  EXPECT_EQ(output.usage().output_tokens, 30);
  EXPECT_FALSE(output.usage().estimated);
}

// A message that came in two events counts by its last usage: 100 tokens read
// at $10 and 900 from the cache at $1, 20 written at $50 a million: $0.0029.
TEST(SessionOutputTest, WhatClaudeHasUsedBeforeItsEndIsEstimatedByPrices) {
  SessionOutput output(ExecAnswer::kClaude, TenAndFifty());
  output.Add(std::string(kInit) + kFirst + kFirstAgain);
  EXPECT_TRUE(output.usage().estimated);
  EXPECT_EQ(output.usage().output_tokens, 20);
  EXPECT_NEAR(output.cost_usd().value_or(0), 0.0029, 1e-12);
  EXPECT_EQ(output.price_version(), "table");
}

// 1,000 read at $10 and 10 written at $50 a million: $0.0105.
TEST(SessionOutputTest, CodexTellsTokensAndNoMoney) {
  SessionOutput output(ExecAnswer::kCodex, TenAndFifty());
  output.Add(
      "{\"type\":\"thread.started\",\"thread_id\":\"t-1\"}\n"
      "{\"type\":\"turn.started\"}\n"
      "{\"type\":\"item.completed\",\"item\":{\"id\":\"i\",\"type\":"
      "\"mcp_tool_call\",\"server\":\"coppice\"}}\n");
  EXPECT_EQ(output.own_id(), "t-1");
  EXPECT_FALSE(output.cost_usd());
  output.Add(
      "{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":1000,"
      "\"cached_input_tokens\":0,\"output_tokens\":10}}\n");
  EXPECT_NEAR(output.cost_usd().value_or(0), 0.0105, 1e-12);
}

// 1,100 times 2^53 would be more than 64 bits hold.
TEST(SessionOutputTest, ASumOfAbsurdCountsStaysACount) {
  SessionOutput output(ExecAnswer::kCodex, std::nullopt);
  for (int turn = 0; turn < 1100; ++turn) {
    output.Add(
        "{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":"
        "9007199254740992,\"cached_input_tokens\":0,\"output_tokens\":1}}\n");
  }
  EXPECT_EQ(output.usage().input_tokens, std::int64_t{1} << 53);
  EXPECT_EQ(output.usage().output_tokens, 1100);
}

TEST(SessionOutputTest, CodexSaysWhyItFailed) {
  SessionOutput output(ExecAnswer::kCodex, std::nullopt);
  output.Add(
      "{\"type\":\"turn.failed\",\"error\":{\"message\":\"no money\"}}\n");
  EXPECT_EQ(output.error(), "no money");
}

TEST(SessionOutputTest, AnyCommandMayTellItsCostSoFar) {
  SessionOutput output(ExecAnswer::kText, std::nullopt);
  output.Add("thinking...\n{\"total_cost_usd\":0.25}\nnull\n[1]\n{\"total");
  EXPECT_EQ(output.cost_usd(), 0.25);
  output.Add("_cost_usd\":0.5,\"session_id\":\"mine\"}\n");
  EXPECT_EQ(output.cost_usd(), 0.5);
  EXPECT_EQ(output.own_id(), "mine");
}

TEST(SessionOutputTest, WhatMakesNoSenseIsPassedOver) {
  SessionOutput output(ExecAnswer::kText, std::nullopt);
  output.Add("{\"total_cost_usd\":-1}\n{\"total_cost_usd\":\"much\"}\n{\n");
  output.Add("{\"total_cost_usd\":1e999}\n");
  EXPECT_FALSE(output.cost_usd());
  output.Add(std::string(std::size_t{3} << 20, 'x'));  // No line of it is kept.
  output.Add("\n{\"total_cost_usd\":0.75}\n");
  EXPECT_EQ(output.cost_usd(), 0.75);
}

}  // namespace
}  // namespace coppice::agents
