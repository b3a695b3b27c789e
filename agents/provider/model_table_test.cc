#include "agents/provider/model_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coppice::agents {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

ModelTable TableOf(const std::vector<std::string>& files) {
  ModelTable table;
  for (const std::string& file : files) {
    const auto done = table.Add(file, "models.json");
    EXPECT_TRUE(done) << done.error().what;
  }
  return table;
}

std::string Complaint(const std::string& file) {
  ModelTable table;
  const auto done = table.Add(file, "mine.json");
  if (done) return "none";
  EXPECT_EQ(done.error().code, Errc::kUsage);
  return done.error().what;
}

TEST(ModelTableTest, ReadsProviders) {
  const ModelTable table = TableOf({R"({"version": "1", "providers": [
      {"name": "p", "api": "messages", "base_url": "https://h", "key_env": "K",
       "key_command": "pass show k", "structured": true, "silence_s": 7,
       "concurrent": 3, "tokens_per_minute": 1000, "headers": ["A: b"]},
      {"name": "e", "api": "exec", "command": "run {model}",
       "answer": "codex", "env": ["X"]}]})"});
  const ProviderRow* row = table.FindProvider("p");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->api, Api::kMessages);
  EXPECT_EQ(row->base_url, "https://h");
  EXPECT_EQ(row->key.env, "K");
  EXPECT_EQ(row->key.command, "pass show k");
  EXPECT_TRUE(row->structured);
  EXPECT_TRUE(row->stream);
  EXPECT_EQ(row->silence_s, 7.0);
  EXPECT_EQ(row->limits.concurrent, 3);
  EXPECT_EQ(row->limits.tokens_per_minute, 1000);
  EXPECT_EQ(row->headers, std::vector<std::string>{"A: b"});
  EXPECT_EQ(table.FindProvider("e")->answer, ExecAnswer::kCodex);
  EXPECT_EQ(table.FindProvider("q"), nullptr);
}

TEST(ModelTableTest, TheLongestMatchWins) {
  const ModelTable table = TableOf({R"({"version": "1", "models": [
      {"match": "gpt-5*", "refuses": ["temperature"]},
      {"match": "gpt-5-chat*"},
      {"match": "gpt-5-pro", "api": "responses", "output_tokens": 9}]})"});
  EXPECT_TRUE(table.Model("gpt-5-mini").Refuses("temperature"));
  EXPECT_FALSE(table.Model("gpt-5-mini").Refuses("top_p"));
  EXPECT_FALSE(table.Model("gpt-5-chat-latest").Refuses("temperature"));
  EXPECT_EQ(table.Model("gpt-5-pro").api, Api::kResponses);
  EXPECT_EQ(table.Model("gpt-5-pro-2025-10-06").api, Api::kResponses);
  EXPECT_EQ(table.Model("gpt-5-pro").output_tokens, 9);
  EXPECT_EQ(table.Model("gpt-5-mini").output_tokens, std::nullopt);
  EXPECT_EQ(table.Model("llama").match, "");
}

TEST(ModelTableTest, ADatedModelHasThePriceOfItsName) {
  const ModelTable table = TableOf({R"({"version": "2026-11-21", "prices": [
      {"model": "gpt-5", "input": 1.25, "cached_input": 0.125, "output": 10},
      {"model": "gpt-5-mini", "input": 0.25, "output": 2, "long":
        {"input_tokens": 1000, "input": 0.5, "output": 4}}]})"});
  for (const char* name : {"gpt-5", "gpt-5-2025-08-07", "gpt-5-20250807"}) {
    const std::optional<Prices> prices = table.PricesOf(name);
    ASSERT_TRUE(prices) << name;
    EXPECT_EQ(prices->rates.cached_input, 0.125);
    EXPECT_EQ(prices->rates.cache_write, 1.25);  // As any input.
    EXPECT_EQ(prices->version, "2026-11-21");
  }
  EXPECT_EQ(table.PricesOf("gpt-5-mini")->long_input_tokens, 1000);
  EXPECT_EQ(table.PricesOf("gpt-5-mini")->long_rates.output, 4.0);
  for (const char* name : {"gpt-5-nano", "gpt-5-2025-08", "", "gpt"}) {
    EXPECT_FALSE(table.PricesOf(name)) << name;
  }
}

// The first of that name cost twice what those after it do.
TEST(ModelTableTest, ADateOfItsOwnHasAPriceOfItsOwn) {
  const auto table = ModelTable::Load(COPPICE_SOURCE_DIR "/data", std::nullopt);
  ASSERT_TRUE(table) << table.error().what;
  EXPECT_EQ(table->PricesOf("gpt-4o-2024-05-13")->rates.output, 15.0);
  EXPECT_EQ(table->PricesOf("gpt-4o-2024-08-06")->rates.output, 10.0);
  EXPECT_EQ(table->PricesOf("gpt-4o-mini-2024-07-18")->rates.output, 0.6);
}

TEST(ModelTableTest, TheUsersRowsWin) {
  const ModelTable table = TableOf(
      {R"({"version": "mine", "models": [{"match": "gpt*"}],
           "prices": [{"model": "gpt-5", "input": 9, "output": 9}]})",
       R"({"version": "1", "models": [{"match": "gpt-5*", "api": "responses"}],
           "prices": [{"model": "gpt-5", "input": 1, "output": 1},
                      {"model": "o3", "input": 2, "output": 2}]})"});
  EXPECT_EQ(table.Model("gpt-5").api, std::nullopt);
  EXPECT_EQ(table.PricesOf("gpt-5")->rates.input, 9.0);
  EXPECT_EQ(table.PricesOf("gpt-5")->version, "mine");
  EXPECT_EQ(table.PricesOf("o3")->version, "1");
}

TEST(ModelTableTest, NonsenseIsNamed) {
  EXPECT_EQ(Complaint("oops"), "mine.json: no JSON");
  EXPECT_THAT(Complaint("[]"), HasSubstr("expected an object"));
  EXPECT_EQ(Complaint("{}"), "mine.json: version: expected a text");
  EXPECT_EQ(Complaint(R"({"version": "1", "provider": []})"),
            "mine.json: unknown key 'provider'");
  EXPECT_EQ(Complaint(R"({"version": "1", "providers": [{"name": "p",
                          "base_url": "h"}]})"),
            "mine.json: /providers/0: base_url: expected a URL, http:// or "
            "https://");
  EXPECT_EQ(Complaint(R"({"version": "1", "models": [{"match": "m",
                          "api": "soap"}]})"),
            "mine.json: /models/0: api: expected one of chat, responses, "
            "messages, exec, session");
  EXPECT_EQ(Complaint(R"({"version": "1", "prices": [{"model": "m",
                          "input": -1, "output": 1}]})"),
            "mine.json: /prices/0: input: expected a number from 0 to 1e12");
  EXPECT_EQ(Complaint(R"({"version": "1", "prices": [{"model": "m"}]})"),
            "mine.json: /prices/0: input: expected a price");
  EXPECT_EQ(Complaint(R"({"version": "1", "providers": [{"name": "p",
                          "base_url": "http://h", "concurrent": 1.5}]})"),
            "mine.json: /providers/0: concurrent: expected a whole number up "
            "to 1e9");
}

TEST(ModelTableTest, OursIsReadAndKnowsTheUsualNames) {
  const auto table = ModelTable::Load(COPPICE_SOURCE_DIR "/data", std::nullopt);
  ASSERT_TRUE(table) << table.error().what;
  for (const char* name :
       {"openai", "anthropic", "openrouter", "vllm", "llamacpp", "ollama",
        "compatible", "claude", "codex", "llm", "ollama-run"}) {
    EXPECT_THAT(table->ProviderNames(), Contains(name));
  }
  EXPECT_TRUE(table->Model("gpt-5-mini").Refuses("temperature"));
  EXPECT_FALSE(table->Model("gpt-4.1").Refuses("temperature"));
  EXPECT_TRUE(table->Model("claude-opus-4-7").Refuses("temperature"));
  EXPECT_FALSE(table->Model("claude-opus-4-6").Refuses("temperature"));
  EXPECT_TRUE(table->PricesOf("gpt-5-mini-2025-08-07"));
}

TEST(ModelTableTest, AFileOfTheUsersThatIsNotThereIsNamed) {
  const auto table = ModelTable::Load(COPPICE_SOURCE_DIR "/data", "/no/such");
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().code, Errc::kNotFound);
  EXPECT_THAT(table.error().what, HasSubstr("/no/such"));
}

}  // namespace
}  // namespace coppice::agents
