#include "config/continue.h"

#include <gtest/gtest.h>

namespace coppice::config {
namespace {

const std::vector<Override> kThen = {{"agents", "alone"},
                                     {"code_temperature", "0.7"},
                                     {"plan_model", "openai:big"},
                                     {"seed", "9"},
                                     {"cap_usd", "5"},
                                     {"budget_evaluator_s", "60"},
                                     {"of_a_later_version", "x"}};

Loaded Now(const std::vector<Override>& command_line) {
  // No file of this machine takes part.
  return Load({}, "/dev/null", command_line).value();
}

TEST(ContinueTest, WhatIsNotSaidAgainStaysAsItWas) {
  const Settings settings = Continue(Now({}), kThen).value();
  EXPECT_EQ(settings.agents, Agents::kAlone);
  EXPECT_EQ(settings.code_temperature, 0.7);
  EXPECT_EQ(settings.plan_model, (ModelList{{"openai", "big"}}));
  EXPECT_EQ(settings.debug_temperature, 0.1);
  EXPECT_EQ(settings.cap_usd, 5.0);
  EXPECT_EQ(settings.budget_evaluator_s, 60.0);
}

TEST(ContinueTest, WhatIsSaidNowCounts) {
  const Settings settings =
      Continue(Now({{"plan_model", "catalogue"}}), kThen).value();
  EXPECT_EQ(settings.plan_model, (ModelList{{"catalogue", ""}}));
}

TEST(ContinueTest, ATeamStaysATeamAndOtherSettingsAreNotTheCampaigns) {
  const Settings settings = Continue(Now({{"preset", "stark"}}), kThen).value();
  EXPECT_EQ(settings.agents, Agents::kAlone);
  EXPECT_EQ(settings.code_temperature, 0.1);
  EXPECT_EQ(settings.seed, 1u);
}

// As a resume of a campaign with these settings and nothing else.
std::string Refusal(const std::vector<Override>& then,
                    const std::vector<Override>& command_line = {}) {
  const auto said = CheckSaid(Now(command_line), then);
  if (said) return "";
  EXPECT_EQ(said.error().code, Errc::kUsage);
  return said.error().what;
}

TEST(ContinueTest, HowAProviderIsAskedStaysAsItWas) {
  const std::vector<Override> then = {{"model_timeout_s", "3600"},
                                      {"model_retries", "9"},
                                      {"answers", "text"},
                                      {"parallel", "8"}};
  const Settings settings =
      Continue(Now({{"model_retries", "2"}}), then).value();
  EXPECT_EQ(settings.model_timeout_s, 3600);
  EXPECT_EQ(settings.model_retries, 2);  // Said again.
  EXPECT_EQ(settings.answers, "text");
  EXPECT_EQ(settings.parallel, 1);  // The machine's, not the campaign's.
  EXPECT_EQ(Refusal(then), "");
}

const std::vector<Override> kAsOfAStranger = {
    {"plan_model", "openai:m"},
    {"code_model", "anthropic:m"},
    {"openai_base_url", "http://evil/v1"},
    {"openai_api_key_env", "AWS_SECRET"},
    {"openai_key_command", "sh a"},
    {"anthropic_base_url", "http://evil"},
    {"anthropic_api_key_env", "AWS_SECRET"},
    {"anthropic_key_command", "sh b"},
    {"models_file", "evil.json"},
    {"record", ".profile"}};

TEST(ContinueTest, ADatabaseRunsNoCommandAndSendsNoKeyAnywhere) {
  const Settings settings = Continue(Now({}), kAsOfAStranger).value();
  const Settings ours;
  EXPECT_EQ(settings.plan_model, (ModelList{{"openai", "m"}}));
  EXPECT_EQ(settings.openai_base_url, ours.openai_base_url);
  EXPECT_EQ(settings.openai_api_key_env, ours.openai_api_key_env);
  EXPECT_EQ(settings.openai_key_command, std::nullopt);
  EXPECT_EQ(settings.anthropic_base_url, ours.anthropic_base_url);
  EXPECT_EQ(settings.anthropic_api_key_env, ours.anthropic_api_key_env);
  EXPECT_EQ(settings.anthropic_key_command, std::nullopt);
  EXPECT_EQ(settings.models_file, std::nullopt);
  EXPECT_EQ(settings.record, std::nullopt);
}

TEST(ContinueTest, EachOfTheseIsToBeSaidAgain) {
  for (const Override& stored : kAsOfAStranger) {
    if (stored.key.ends_with("_model")) continue;
    EXPECT_NE(Refusal({{"plan_model", "openai:m"},
                       {"code_model", "anthropic:m"},
                       stored}),
              "")
        << stored.key;
  }
  EXPECT_EQ(Refusal({{"plan_model", "openai:m"},
                     {"openai_base_url", "http://a/v1\n"},
                     {"openai_key_command", "sh a"}}),
            "was started with openai_base_url 'http://a/v1?', "
            "openai_key_command 'sh a', which a database may not decide: give "
            "--openai-base-url, --openai-key-command again to go on");
}

TEST(ContinueTest, WhatIsSaidNowWhateverItIsNeedsNoMore) {
  const std::vector<Override> then = {{"plan_model", "openai:m"},
                                      {"openai_base_url", "http://a/v1"}};
  EXPECT_EQ(Refusal(then, {{"openai_base_url", "http://a/v1"}}), "");
  const Loaded other = Now({{"openai_base_url", "http://b/v1"}});
  EXPECT_TRUE(CheckSaid(other, then));
  EXPECT_EQ(Continue(other, then)->openai_base_url, "http://b/v1");
}

TEST(ContinueTest, DefaultsAndWhatNoAgentUsesNeedNotBeSaid) {
  EXPECT_EQ(Refusal({{"plan_model", "openai:m"},
                     {"openai_base_url", Settings().openai_base_url},
                     {"openai_key_command", "none"},
                     {"anthropic_key_command", "sh b"}}),
            "");
  EXPECT_EQ(Refusal({{"plan_model", "openai:m"},
                     {"openai_base_url", "http://a/v1"},
                     {"record", "a.jsonl"}},
                    {{"plan_model", "catalogue"}}),
            "");
}

TEST(ContinueTest, ACommandRunsIfTheUserNamesIt) {
  const std::vector<Override> then = {{"debug_model", "exec:sh a"}};
  EXPECT_EQ(Continue(Now({}), then)->debug_model,
            (ModelList{{"catalogue", ""}}));
  EXPECT_EQ(Refusal(then),
            "was started with debug_model 'exec:sh a', which a database may "
            "not decide: give --debug-model again to go on");
  const std::vector<Override> named = {{"code_model", "exec:sh a"}};
  EXPECT_EQ(Refusal(then, named), "");
  EXPECT_EQ(Continue(Now(named), then)->debug_model,
            (ModelList{{"exec", "sh a"}}));
  EXPECT_NE(Refusal(then, {{"code_model", "exec:sh b"}}), "");
}

TEST(ContinueTest, EachCommandOfAListIsToBeNamed) {
  const std::vector<Override> then = {
      {"code_model", "openai:m,exec:sh a,exec:sh b"}};
  EXPECT_NE(Refusal(then, {{"debug_model", "exec:sh a"}}), "");
  EXPECT_EQ(Refusal(then, {{"debug_model", "exec:sh b,exec:sh a"}}), "");
}

TEST(ContinueTest, ASessionsCommandIsACommandToo) {
  const std::vector<Override> then = {{"code_model", "session:sh a"}};
  EXPECT_EQ(Continue(Now({}), then)->code_model,
            (ModelList{{"catalogue", ""}}));
  EXPECT_EQ(Refusal(then, {{"plan_model", "session:sh a"}}), "");
  // The same words to another provider are another command.
  EXPECT_NE(Refusal(then, {{"plan_model", "exec:sh a"}}), "");
}

// A cassette gives its answers again, so that nothing is recorded of it and no
// prices are asked for.
TEST(ContinueTest, WhatGivesAnswersAgainNeitherRecordsNorPays) {
  const std::vector<Override> files = {{"record", "a.jsonl"},
                                       {"models_file", "m.json"}};
  for (const Override& file : files) {
    EXPECT_EQ(Refusal({{"plan_model", "replay:x"}, file}), "") << file.key;
    EXPECT_EQ(Refusal({{"plan_model", "catalogue"}, file}), "") << file.key;
    EXPECT_NE(Refusal({{"plan_model", "outside"}, file}), "") << file.key;
    EXPECT_NE(Refusal({{"debug_model", "ollama:x"}, file}), "") << file.key;
  }
}

// openai2 is another provider than openai, whose settings begin with its name.
TEST(ContinueTest, ASettingIsOfTheProviderThatItsNameBeginsWith) {
  EXPECT_EQ(Refusal({{"plan_model", "openai2:m"},
                     {"openai_base_url", "http://a/v1"}}),
            "");
  EXPECT_EQ(
      Refusal({{"plan_model", "open:m"}, {"openai_base_url", "http://a/v1"}}),
      "");
  EXPECT_NE(Refusal({{"plan_model", "catalogue,openai:m"},
                     {"openai_base_url", "http://a/v1"}}),
            "");
}

TEST(ContinueTest, WhatACampaignDoesNotKeepIsNoReasonToRefuse) {
  EXPECT_EQ(Refusal({{"on_done", "id"},
                     {"python", "./evil"},
                     {"policy", "python:evil.py:P"},
                     {"of_a_later_version", "x"}}),
            "");
  const Settings settings =
      Continue(Now({}), {{"on_done", "id"}, {"python", "./evil"}}).value();
  EXPECT_EQ(settings.on_done, std::nullopt);
  EXPECT_EQ(settings.python, std::nullopt);
}

TEST(ContinueTest, AStoredTextIsShownInALine) {
  EXPECT_EQ(Refusal({{"code_model", "exec:a\tb\nc\x1B[2J\x7F"}}),
            "was started with code_model 'exec:a?b?c?[2J?', which a database "
            "may not decide: give --code-model again to go on");
}

TEST(ContinueTest, WhatMayBeTakenRunsNothingNew) {
  const Loaded now =
      Now({{"code_model", "exec:sh a"}, {"openai_base_url", "http://a/v1"}});
  const auto may = [&](const char* key, const char* value) {
    return MayBeTaken(now, {key, value});
  };
  EXPECT_TRUE(may("plan_model", "exec:sh a"));
  EXPECT_TRUE(may("plan_model", "openai:m,exec:sh a"));
  EXPECT_FALSE(may("plan_model", "openai:m,exec:sh b"));
  EXPECT_TRUE(may("cap_usd", "5"));
  EXPECT_TRUE(may("openai_base_url", "http://a/v1"));
  EXPECT_FALSE(may("openai_base_url", "http://b/v1"));
  EXPECT_FALSE(may("record", "x"));
  EXPECT_TRUE(may("record", "none"));
  // What is no value is found out by Continue, which says so.
  EXPECT_TRUE(may("plan_model", "openai:"));
}

std::string SaidAgain(const std::vector<Override>& command_line) {
  std::string text;
  for (const auto& [key, value] : ToSayAgain(Now(command_line))) {
    if (!text.empty()) text += "; ";
    text += key;
    text += " " + value;
  }
  return text;
}

TEST(ContinueTest, WhoGoesOnSaysAgainWhatADatabaseMayNotDecide) {
  EXPECT_EQ(SaidAgain({}), "");
  EXPECT_EQ(SaidAgain({{"plan_model", "openai:m"},
                       {"cap_usd", "5"},
                       {"seed", "7"},
                       {"python", "./python3"}}),
            "");
  EXPECT_EQ(SaidAgain({{"debug_model", "catalogue,exec:sh a"},
                       {"plan_model", "openai:m"},
                       {"record", "a.jsonl"},
                       {"openai_base_url", "http://a/v1"},
                       {"openai_api_key_env", "KEY"}}),
            "debug_model catalogue,exec:sh a; record a.jsonl; "
            "openai_base_url http://a/v1; openai_api_key_env KEY");
}

// The environment is there for whoever goes on, as files are.
TEST(ContinueTest, WhatTheEnvironmentSaysNeedNotBeSaidAgain) {
  Surroundings surroundings;
  surroundings.environment["COPPICE_CODE_MODEL"] = "exec:sh a";
  surroundings.environment["COPPICE_RECORD"] = "a.jsonl";
  EXPECT_TRUE(ToSayAgain(Load(surroundings, "/dev/null", {}).value()).empty());
}

// What is said again is all that a resume needs.
TEST(ContinueTest, WhatIsSaidAgainIsEnoughToGoOn) {
  const std::vector<Override> line = {{"code_model", "openai:m,session:sh b"},
                                      {"openai_key_command", "pass show k"},
                                      {"models_file", "m.json"},
                                      {"cap_usd", "3"}};
  const Loaded first = Now(line);
  std::vector<Override> stored;
  for (const auto& [key, value, origin] : first.origins) {
    stored.push_back({key, value});
  }
  EXPECT_NE(Refusal(stored), "");
  const Loaded again = Now(ToSayAgain(first));
  EXPECT_TRUE(CheckSaid(again, stored));
  const Settings settings = Continue(again, stored).value();
  EXPECT_EQ(settings.code_model, first.settings.code_model);
  EXPECT_EQ(settings.openai_key_command, first.settings.openai_key_command);
  EXPECT_EQ(settings.models_file, first.settings.models_file);
  EXPECT_EQ(settings.cap_usd, 3.0);
}

TEST(ContinueTest, AStoredValueThatIsNoneIsNamed) {
  const auto settings = Continue(Now({}), {{"agents", "herd"}});
  EXPECT_EQ(settings.error().code, Errc::kCorrupt);
  EXPECT_EQ(settings.error().what,
            "stored setting agents: expected team or alone");
}

}  // namespace
}  // namespace coppice::config
