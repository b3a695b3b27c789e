#include "engine/factory/model_factory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "agents/provider/model.h"
#include "agents/provider/model_table.h"
#include "agents/provider/providers.h"
#include "config/settings.h"
#include "engine/factory/factory_fixture.h"
#include "engine/process/clock.h"

namespace coppice::engine {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

class ModelFactoryTest : public testing::Test {
 protected:
  // Those of a campaign that says this.
  config::Settings Said(const std::vector<config::Override>& options) const {
    return lines_.Load(options).settings;
  }

  Result<agents::Model*> ModelFor(const config::ModelChoice& choice,
                                  const config::Settings& settings) {
    return models_.ModelFor(TaskIn(Language::kCpp), settings, choice);
  }

  // Why there is no such model.
  std::string Refusal(const config::ModelChoice& choice,
                      const std::vector<config::Override>& options = {}) {
    const auto model = ModelFor(choice, Said(options));
    if (model) return "made";
    EXPECT_EQ(model.error().code, Errc::kUsage);
    return model.error().what;
  }

  std::string Answer(const config::ModelChoice& choice,
                     const config::Settings& settings,
                     const std::string& prompt) {
    agents::ModelRequest request;
    request.user_prompt = prompt;
    const auto answer =
        store::Must(ModelFor(choice, settings))->Complete(request);
    return answer ? answer->text : answer.error().what;
  }

  CommandLines lines_;
  const config::Loaded loaded_ = lines_.Load();
  const config::Settings& settings_ = loaded_.settings;
  SystemClock clock_;
  SystemTimer timer_{clock_};
  ModelFactory models_{settings_, timer_};
};

TEST_F(ModelFactoryTest, ProvidersHaveSessionsByTheirRows) {
  for (const char* with : {"session", "claude-session", "codex-session"}) {
    EXPECT_TRUE(models_.HasSessions(settings_, {with, "m"}).value()) << with;
  }
  for (const char* without : {"catalogue", "replay", "exec", "outside",
                              "openai", "claude", "no-such-provider"}) {
    EXPECT_FALSE(models_.HasSessions(settings_, {without, "m"}).value())
        << without;
  }
}

TEST_F(ModelFactoryTest, WhatIsHeededStandsInTheirRows) {
  // "T" for a temperature, "e" for an effort.
  const auto heeds = [&](const char* provider, const char* model) {
    const auto of_it = models_.WhatItHeeds(settings_, {provider, model});
    return std::string(of_it->temperature ? "T" : "") +
           (of_it->effort ? "e" : "");
  };
  EXPECT_EQ(heeds("catalogue", ""), "T");
  EXPECT_EQ(heeds("replay", "x.jsonl"), "Te");
  EXPECT_EQ(heeds("outside", ""), "Te");
  EXPECT_EQ(heeds("exec", "./agent"), "");
  EXPECT_EQ(heeds("session", "./agent"), "");
  EXPECT_EQ(heeds("claude-session", "opus"), "");
  EXPECT_EQ(heeds("openai", "gpt-4.1"), "T");
  EXPECT_EQ(heeds("openai", "gpt-5.4-mini"), "e");
}

TEST_F(ModelFactoryTest, TheCatalogueAnswersUnlessTheTaskHasOneOfItsOwn) {
  const config::ModelChoice catalogue{"catalogue", ""};
  EXPECT_EQ(ModelFor(catalogue, settings_).value()->Provider(), "catalogue");
  const Task simulated = TaskIn(Language::kSim, "sim:basic");
  EXPECT_EQ(
      models_.ModelFor(simulated, settings_, catalogue).value()->Provider(),
      "simulation");
  const config::ModelChoice named{"exec", "cat"};
  EXPECT_EQ(models_.ModelFor(simulated, settings_, named).value()->Provider(),
            "exec");
}

TEST_F(ModelFactoryTest, AModelIsMadeOnceForEqualSettings) {
  const config::ModelChoice cat{"exec", "cat"};
  agents::Model* model = ModelFor(cat, settings_).value();
  EXPECT_EQ(ModelFor(cat, settings_).value(), model);
  EXPECT_EQ(ModelFor(cat, Said({{"budget", "7"}})).value(), model);
  EXPECT_NE(ModelFor({"exec", "cat -"}, settings_).value(), model);
  EXPECT_NE(ModelFor(cat, Said({{"model_timeout_s", "7"}})).value(), model);
  EXPECT_NE(ModelFor(cat, Said({{"model_retries", "7"}})).value(), model);
}

// `cat` answers with its prompt.
TEST_F(ModelFactoryTest, WhatIsRecordedIsReplayed) {
  const std::string cassette = lines_.File("x.jsonl").string();
  const config::Settings recording = Said({{"record", cassette}});
  EXPECT_EQ(Answer({"exec", "cat"}, recording, "Go."), "Go.");
  EXPECT_EQ(Answer({"replay", cassette}, settings_, "Go."), "Go.");
  EXPECT_THAT(Answer({"replay", cassette}, settings_, "Stay."),
              HasSubstr("no answer to request"));
}

TEST_F(ModelFactoryTest, WhatRepeatsItselfIsNotRecorded) {
  const std::string cassette = lines_.File("first.jsonl").string();
  std::ofstream(cassette) << "";
  const std::string record = lines_.File("second.jsonl").string();
  const config::Settings recording = Said({{"record", record}});
  ASSERT_TRUE(ModelFor({"catalogue", ""}, recording));
  ASSERT_TRUE(ModelFor({"replay", cassette}, recording));
  EXPECT_FALSE(fs::exists(record));
  ASSERT_TRUE(ModelFor({"exec", "cat"}, recording));
  EXPECT_TRUE(fs::exists(record));
}

TEST_F(ModelFactoryTest, WhoIsOutsideIsNeverAsked) {
  EXPECT_THAT(Answer({"outside", ""}, settings_, "Go."),
              HasSubstr("coppice ticket ask"));
}

TEST_F(ModelFactoryTest, ThoseThatDoNotConverseAreRefused) {
  const auto refusal = [&](const char* provider) {
    const auto model = models_.ChatModelFor({provider, ""});
    EXPECT_FALSE(model);
    return model ? "" : model.error().what;
  };
  EXPECT_EQ(refusal("catalogue"), "the catalogue does not converse");
  EXPECT_THAT(refusal("outside"), HasSubstr("no such provider"));
  EXPECT_TRUE(models_.ChatModelFor({"exec", "cat"}));
}

TEST_F(ModelFactoryTest, AMistypedProviderIsToldWhatThereIs) {
  EXPECT_THAT(Refusal({"opanai", "m"}),
              AllOf(HasSubstr("opanai: no such provider; there are catalogue, "
                              "replay:FILE, exec:COMMAND, session:COMMAND, "
                              "openai:MODEL, anthropic:MODEL"),
                    testing::Not(HasSubstr("outside"))));
  EXPECT_EQ(Refusal({"exec", ""}),
            "exec: name the command, as in exec:./agent");
  EXPECT_EQ(Refusal({"openai", ""}),
            "openai: name the model, as in openai:MODEL_NAME");
}

// A service is not asked without a key, and says which is missing.
TEST_F(ModelFactoryTest, SettingsOfAProviderAreFoundByItsName) {
  unsetenv("OPENAI_API_KEY");
  unsetenv("ANTHROPIC_API_KEY");
  EXPECT_EQ(Refusal({"openai", "m"}),
            "openai: no key: set the variable OPENAI_API_KEY");
  EXPECT_EQ(Refusal({"openai", "m"}, {{"openai_api_key_env", "MINE"}}),
            "openai: no key: set the variable MINE");
  EXPECT_EQ(Refusal({"anthropic", "m"}, {{"anthropic_api_key_env", "MINE"}}),
            "anthropic: no key: set the variable MINE");
  EXPECT_EQ(Refusal({"anthropic", "m"}, {{"openai_api_key_env", "MINE"}}),
            "anthropic: no key: set the variable ANTHROPIC_API_KEY");
  // A server of one's own may need none, and a command prints one.
  EXPECT_EQ(
      Refusal({"openai", "m"}, {{"openai_base_url", "http://127.0.0.1:1/v1"}}),
      "made");
  EXPECT_EQ(Refusal({"anthropic", "m"}, {{"anthropic_key_command", "echo k"}}),
            "made");
}

// What is said twice, of a provider that has settings, is said alike.
TEST_F(ModelFactoryTest, TheDefaultsOfSettingsAreThoseOfTheTable) {
  const agents::ModelTable& table = *models_.TableOf(settings_).value();
  const agents::ProviderRow* openai = table.FindProvider("openai");
  EXPECT_EQ(openai->base_url, settings_.openai_base_url);
  EXPECT_EQ(openai->key.env, settings_.openai_api_key_env);
  const agents::ProviderRow* anthropic = table.FindProvider("anthropic");
  EXPECT_EQ(anthropic->base_url, settings_.anthropic_base_url);
  EXPECT_EQ(anthropic->key.env, settings_.anthropic_api_key_env);
}

TEST_F(ModelFactoryTest, RowsOfTheUsersAreReadFromHisFile) {
  const fs::path file = lines_.File("models.json");
  const config::Settings with_file = Said({{"models_file", file.string()}});
  EXPECT_EQ(ModelFor({"mine", "m"}, with_file).error().code, Errc::kNotFound);
  std::ofstream(file) << R"({"version": "1", "providers": [{"name": "mine",
      "api": "exec", "command": "echo {model}"}]})";
  EXPECT_EQ(Answer({"mine", "m"}, with_file, "Go."), "m\n");
  EXPECT_THAT(Refusal({"mine", "m"}), HasSubstr("no such provider"));
}

TEST_F(ModelFactoryTest, AFileOfTheUsersThatMakesNoSenseIsNamed) {
  const fs::path file = lines_.File("models.json");
  std::ofstream(file) << R"({"version": "1", "providers": [{"nam": "mine"}]})";
  EXPECT_THAT(Refusal({"mine", "m"}, {{"models_file", file.string()}}),
              AllOf(HasSubstr(file.string()), HasSubstr("unknown key 'nam'")));
}

}  // namespace
}  // namespace coppice::engine
