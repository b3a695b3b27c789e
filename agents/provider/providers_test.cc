#include "agents/provider/providers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "agents/prompt/structured.h"
#include "agents/provider/scripted_server.h"
#include "agents/provider/secrets.h"
#include "agents/provider/test_timer.h"

namespace coppice::agents {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class ProvidersTest : public testing::Test {
 protected:
  ProvidersTest()
      : table_(ModelTable::Load(COPPICE_SOURCE_DIR "/data", std::nullopt)
                   .value()) {
    setenv("OPENAI_API_KEY", "sk-0123456789", 1);
    setenv("ANTHROPIC_API_KEY", "sk-0123456789", 1);
    setenv("OPENROUTER_API_KEY", "sk-0123456789", 1);
    request_.role = Role::kCode;
    request_.user_prompt = "Go.";
    request_.sampling.temperature = 0.1;
  }

  std::string BodyOf(const std::string& provider, const std::string& model,
                     const ProviderSettings& settings = {}) {
    auto transport = MakeTransport(table_, provider, model, settings, timer_);
    EXPECT_TRUE(transport) << transport.error().what;
    return transport ? (*transport)->Body(request_).text : "";
  }

  ModelTable table_;
  RealTimer timer_;
  ModelRequest request_;
};

TEST_F(ProvidersTest, QuirksComeFromTheTable) {
  EXPECT_THAT(
      BodyOf("openai", "gpt-4.1"),
      AllOf(HasSubstr("max_completion_tokens"),
            HasSubstr(R"("temperature":0.1)"), HasSubstr("json_schema")));
  EXPECT_THAT(BodyOf("openai", "gpt-5-mini"), Not(HasSubstr("temperature")));
  EXPECT_THAT(BodyOf("openai", "gpt-5-pro"),
              AllOf(HasSubstr(R"("input":)"), HasSubstr("max_output_tokens")));
  EXPECT_THAT(
      BodyOf("ollama", "qwen"),
      AllOf(HasSubstr(R"("max_tokens":)"), HasSubstr(R"("temperature":0.1)")));
  EXPECT_THAT(BodyOf("anthropic", "claude-haiku-4-5"),
              AllOf(HasSubstr(R"("max_tokens":)"), HasSubstr("output_config")));
}

TEST_F(ProvidersTest, AnEffortIsToldAsEachProviderWantsIt) {
  request_.sampling.effort = "low";
  EXPECT_THAT(BodyOf("openai", "gpt-5-mini"),
              HasSubstr(R"("reasoning_effort":"low")"));
  EXPECT_THAT(BodyOf("openai", "gpt-5-pro"),
              HasSubstr(R"("reasoning":{"effort":"low"})"));
  EXPECT_THAT(BodyOf("openrouter", "m"),
              HasSubstr(R"("reasoning":{"effort":"low"})"));
  EXPECT_THAT(BodyOf("anthropic", "claude-opus-4-8"),
              HasSubstr(R"("output_config":{"effort":"low","format":)"));
}

TEST_F(ProvidersTest, WhatAModelHeedsIsKnownBeforeItIsAsked) {
  // "T" for a temperature, "e" for an effort.
  const auto heeds = [&](const char* provider, const char* model) {
    const Heeds of_it = WhatItHeeds(table_, provider, model, "").value();
    return std::string(of_it.temperature ? "T" : "") +
           (of_it.effort ? "e" : "");
  };
  EXPECT_EQ(heeds("openai", "gpt-4.1"), "T");
  EXPECT_EQ(heeds("openai", "gpt-5.4-mini"), "e");
  EXPECT_EQ(heeds("openai", "gpt-5-chat-latest"), "T");
  EXPECT_EQ(heeds("anthropic", "claude-opus-4-8"), "e");
  EXPECT_EQ(heeds("vllm", "anything"), "Te");
  EXPECT_EQ(heeds("claude", "opus"), "");
  EXPECT_EQ(heeds("exec", "./agent"), "");
}

TEST_F(ProvidersTest, JsonIsNotAskedForUnlessTheUserLetsIt) {
  ProviderSettings settings;
  settings.structured = false;
  EXPECT_THAT(BodyOf("openai", "gpt-4.1", settings),
              Not(HasSubstr("json_schema")));
}

// Behind another URL "openai" is some compatible server, also where the table
// has ollama.
TEST_F(ProvidersTest, AnotherHostIsAnotherServer) {
  EXPECT_EQ(RowOf(table_, "openai", "https://api.openai.com/v1/")->output_limit,
            "max_completion_tokens");
  const ProviderRow other = RowOf(table_, "openai", "http://h:1/v1").value();
  EXPECT_EQ(other.output_limit, "max_tokens");
  EXPECT_EQ(other.base_url, "http://h:1/v1");
  EXPECT_EQ(other.name, "openai");
  EXPECT_FALSE(other.structured);
  EXPECT_FALSE(RowOf(table_, "openai", "http://127.0.0.1:11434/v1")->free);
  EXPECT_TRUE(RowOf(table_, "ollama", "http://h:1/v1")->free);
}

TEST_F(ProvidersTest, WhatRunsOnOnesOwnMachineIsFree) {
  const auto cost_bound = [&](const char* provider, const char* model) {
    const auto transport =
        MakeTransport(table_, provider, model, {}, timer_).value();
    return transport->BoundOf(request_, transport->Body(request_)).cost_usd;
  };
  EXPECT_EQ(cost_bound("ollama", "qwen"), 0.0);
  EXPECT_EQ(cost_bound("openai", "new"), std::nullopt);
}

TEST_F(ProvidersTest, MistakesAreTheUsers) {
  for (const auto& [provider, model, what] :
       {std::tuple{"opanai", "m", "no such provider; there are catalogue"},
        std::tuple{"openai", "", "name the model"},
        std::tuple{"exec", "", "name the command"},
        std::tuple{"exec", "'a", "a quote does not end"}}) {
    const auto transport = MakeTransport(table_, provider, model, {}, timer_);
    ASSERT_FALSE(transport);
    EXPECT_EQ(transport.error().code, Errc::kUsage);
    EXPECT_THAT(transport.error().what, HasSubstr(what));
  }
}

// A service needs a key; a server of one's own may need none.
TEST_F(ProvidersTest, AServiceIsNotAskedWithoutAKey) {
  unsetenv("OPENAI_API_KEY");
  const auto none = MakeTransport(table_, "openai", "m", {}, timer_);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Errc::kUsage);
  EXPECT_EQ(none.error().what,
            "openai: no key: set the variable OPENAI_API_KEY");
  ProviderSettings ours;
  ours.base_url = "http://127.0.0.1:1/v1";
  EXPECT_TRUE(MakeTransport(table_, "openai", "m", ours, timer_));
  EXPECT_TRUE(MakeTransport(table_, "vllm", "m", {}, timer_));
}

TEST_F(ProvidersTest, TheKeyComesFromACommandIfThereIsOne) {
  const ScriptedServer server({HttpReplyText(500, "")});
  ProviderSettings settings;
  settings.base_url = server.Url();
  settings.key.command = "printf 'from-the-vault\\nuser: me\\n'";
  auto transport =
      MakeTransport(table_, "openai", "m", settings, timer_).value();
  (void)transport->Send(request_, transport->Body(request_).text, 60);
  EXPECT_THAT(server.Requests().at(0),
              HasSubstr("\r\nAuthorization: Bearer from-the-vault\r\n"));
}

TEST_F(ProvidersTest, ACommandIsAModel) {
  auto transport =
      MakeTransport(table_, "exec", "tr a-z A-Z", {}, timer_).value();
  EXPECT_EQ(transport->Provider(), "exec");
  EXPECT_EQ(transport->ModelName(), "tr a-z A-Z");
  EXPECT_EQ(
      transport->Send(request_, transport->Body(request_).text, 60).answer.text,
      "GO.");
}

TEST(SecretsTest, AKeyIsThatOfTheVariable) {
  RealTimer timer;
  EXPECT_EQ(ReadKey({"COPPICE_TEST_NO_KEY", ""}, timer).value(), "");
  setenv("COPPICE_TEST_KEY", "k", 1);
  EXPECT_EQ(ReadKey({"COPPICE_TEST_KEY", ""}, timer).value(), "k");
  EXPECT_EQ(ReadKey({"COPPICE_TEST_KEY", "echo c"}, timer).value(), "c");
  unsetenv("COPPICE_TEST_KEY");
}

TEST(SecretsTest, AKeyCommandThatFailsShowsNothingOfWhatItPrinted) {
  RealTimer timer;
  for (const char* command :
       {"sh -c 'echo sk-secret; echo sk-secret >&2; exit 1'", "true",
        "no-such-program-xyz sk-secret", "'"}) {
    const auto key = ReadKey({"", command}, timer);
    ASSERT_FALSE(key) << command;
    EXPECT_THAT(key.error().what, Not(HasSubstr("sk-secret"))) << command;
  }
}

TEST(SecretsTest, KeysAreTakenOutOfText) {
  const std::string key = "abcdefgh";
  EXPECT_EQ(WithoutKeys("key " + key + ", " + key + key + ".", key),
            "key [key], [key][key].");
  for (const char* word : {"x", "none", "test", "abcdefg"}) {
    EXPECT_EQ(WithoutKeys("x = test(none); abcdefg", word),
              "x = test(none); abcdefg");
  }
  EXPECT_EQ(WithoutKeys("sk-0123456789ab and AIza0123456789", ""),
            "[key] and [key]");
  // Too short, or in mid-word.
  EXPECT_EQ(WithoutKeys("sk-1 task-0123456789", ""), "sk-1 task-0123456789");
  EXPECT_EQ(WithoutKey("sk-0123456789ab", "x"), "sk-0123456789ab");
  EXPECT_EQ(WithoutKeys("", ""), "");
}

TEST(StructuredTest, APlanBecomesProse) {
  EXPECT_EQ(ProseOfStructured(Role::kPlan,
                              R"({"technique":"tile","advice":"Tile `i`.",
                                  "source":"int x;"})")
                .value(),
            "Technique: tile\n\nTile 'i'.\n\n```\nint x;\n```\n");
}

TEST(StructuredTest, TheFenceIsLongerThanAnyWithin) {
  EXPECT_EQ(ProseOfStructured(Role::kCode, R"({"source":"// ````\n"})").value(),
            "`````\n// ````\n`````\n");
}

TEST(StructuredTest, AFenceAroundTheSourceIsNotOfIt) {
  EXPECT_EQ(ProseOfStructured(Role::kCode,
                              R"({"source":"\n```cpp\r\nint x;\r\n```\r\n"})")
                .value(),
            "```\nint x;\n```\n");
}

TEST(StructuredTest, OtherJsonIsAnError) {
  for (const char* text : {"", "7", "{}", R"({"source":" "})",
                           R"({"source":"```\n"})", "```\nx\n```"}) {
    EXPECT_EQ(ProseOfStructured(Role::kCode, text).error().code, Errc::kCorrupt)
        << text;
  }
}

}  // namespace
}  // namespace coppice::agents
