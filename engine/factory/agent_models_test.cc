#include "engine/factory/agent_models.h"

#include <gtest/gtest.h>

#include <string>

#include "config/keys.h"

namespace coppice::engine {
namespace {

Task In(Language language) {
  Task task;
  task.definition.name = "t";
  task.root.language = language;
  return task;
}

config::Settings Named(const std::string& plan, const std::string& code,
                       const std::string& debug) {
  config::Settings settings;
  EXPECT_TRUE(Assign(*config::FindKey("plan_model"), plan, settings));
  EXPECT_TRUE(Assign(*config::FindKey("code_model"), code, settings));
  EXPECT_TRUE(Assign(*config::FindKey("debug_model"), debug, settings));
  return settings;
}

// "PLAN CODE DEBUG" of whom the agents ask.
std::string Asked(Language language, const config::Settings& settings) {
  const config::Settings asked = WithAgentModels(In(language), settings);
  std::string text;
  for (const char* key : {"plan_model", "code_model", "debug_model"}) {
    text += (text.empty() ? "" : " ") + Print(*config::FindKey(key), asked);
  }
  return text;
}

TEST(AgentModelsTest, OneModelThatIsNamedIsAskedEverythingInPython) {
  const std::string all = "openai:m openai:m openai:m";
  const std::string none = "catalogue";
  EXPECT_EQ(Asked(Language::kPython, Named(none, "openai:m", none)), all);
  EXPECT_EQ(Asked(Language::kPython, Named("openai:m", none, none)), all);
  EXPECT_EQ(Asked(Language::kPython, Named(none, none, "openai:m")), all);
}

TEST(AgentModelsTest, WhoHasAModelAsksIt) {
  EXPECT_EQ(Asked(Language::kPython, Named("exec:p", "exec:c", "exec:d")),
            "exec:p exec:c exec:d");
  EXPECT_EQ(Asked(Language::kPython, Named("exec:p", "exec:c", "catalogue")),
            "exec:p exec:c exec:c");
  EXPECT_EQ(Asked(Language::kPython, Named("catalogue", "exec:c", "exec:d")),
            "exec:c exec:c exec:d");
  EXPECT_EQ(Asked(Language::kPython, Named("exec:p", "catalogue", "exec:d")),
            "exec:p exec:d exec:d");
}

TEST(AgentModelsTest, OfSeveralTheCatalogueIsLeftOutInPython) {
  const config::Settings settings =
      Named("catalogue", "catalogue,exec:a,exec:b", "exec:d,catalogue");
  EXPECT_EQ(Asked(Language::kPython, settings),
            "exec:a,exec:b exec:a,exec:b exec:d");
  EXPECT_EQ(Asked(Language::kCpp, settings),
            "catalogue catalogue,exec:a,exec:b exec:d,catalogue");
}

TEST(AgentModelsTest, TheCatalogueKeepsWhatItCanDo) {
  const config::Settings settings = Named("catalogue", "exec:c", "catalogue");
  for (const Language language :
       {Language::kCpp, Language::kCuda, Language::kSim}) {
    EXPECT_EQ(Asked(language, settings), "catalogue exec:c catalogue");
  }
}

TEST(AgentModelsTest, PythonIsNotLeftToTheCatalogueWhileAttemptsAreToCome) {
  const config::Settings nobody;
  const auto refused = CheckAgents(In(Language::kPython), nobody, 1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kUsage);
  EXPECT_EQ(refused.error().what,
            "t: is in Python, which the catalogue does not write; name a model "
            "for all agents, as in --code-model openai:MODEL");
  EXPECT_TRUE(CheckAgents(In(Language::kPython), nobody, 0));
  EXPECT_TRUE(CheckAgents(In(Language::kCpp), nobody, 1));
  EXPECT_TRUE(CheckAgents(In(Language::kPython),
                          Named("openai:m", "catalogue", "catalogue"), 1));
}

// Where plans mark nothing, the catalogue does not know what to change.
TEST(AgentModelsTest, TheCatalogueNeedsMarksUnlessItWorksAlone) {
  config::Settings settings;
  settings.grounding = "off";
  const auto refused = CheckAgents(In(Language::kCpp), settings, 1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kUsage);
  EXPECT_EQ(refused.error().what,
            "--grounding off: the catalogue changes what plans mark; name "
            "models, as in --plan-model openai:MODEL --code-model openai:MODEL "
            "--debug-model openai:MODEL");
  EXPECT_TRUE(CheckAgents(In(Language::kCpp), settings, 0));
  EXPECT_TRUE(CheckAgents(In(Language::kSim), settings, 1));
  settings.code_model = {{"openai", "m"}};
  EXPECT_TRUE(CheckAgents(In(Language::kCpp), settings, 1));
  settings.code_model = config::TheCatalogue();
  settings.agents = config::Agents::kAlone;
  EXPECT_TRUE(CheckAgents(In(Language::kCpp), settings, 1));
}

TEST(AgentModelsTest, EachRoleHasSettingsOfItsOwn) {
  config::Settings settings = Named("exec:p", "exec:a,exec:b", "exec:d");
  settings.plan_temperature = 0.9;
  settings.code_temperature = 0.2;
  settings.debug_temperature = std::nullopt;
  settings.code_effort = "low";
  const auto plan = SettingsOfAgents(settings, Role::kPlan);
  ASSERT_EQ(plan.size(), 1u);
  EXPECT_EQ(plan[0].model.model, "p");
  EXPECT_EQ(plan[0].temperature, 0.9);
  EXPECT_EQ(plan[0].effort, std::nullopt);
  const auto code = SettingsOfAgents(settings, Role::kCode);
  ASSERT_EQ(code.size(), 2u);
  EXPECT_EQ(code[1].model.model, "b");
  EXPECT_EQ(code[1].role, Role::kCode);
  EXPECT_EQ(code[1].temperature, 0.2);
  EXPECT_EQ(code[1].effort, "low");
  const auto debug = SettingsOfAgents(settings, Role::kDebug);
  ASSERT_EQ(debug.size(), 1u);
  EXPECT_EQ(debug[0].model.model, "d");
  EXPECT_EQ(debug[0].temperature, std::nullopt);
}

AgentSettings AgentOf(Role role, std::optional<double> temperature,
                      std::optional<std::string> effort = std::nullopt) {
  return {role, {"openai", "m"}, temperature, std::move(effort)};
}

TEST(AgentModelsTest, AnEffortNeedsAModelThatTakesOne) {
  const AgentSettings hot = AgentOf(Role::kPlan, 0.8);
  const AgentSettings eager = AgentOf(Role::kPlan, 0.8, "high");
  EXPECT_TRUE(CheckEffort(hot, false));
  EXPECT_TRUE(CheckEffort(eager, true));
  const auto refused = CheckEffort(eager, false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kUsage);
  EXPECT_EQ(refused.error().what,
            "--plan-effort high: openai:m takes no effort of reasoning; leave "
            "it out, or name another model with --plan-model");
}

TEST(AgentModelsTest, ATemperatureThatDoesNotApplyIsTold) {
  const AgentSettings plan = AgentOf(Role::kPlan, 0.8);
  const AgentSettings code = AgentOf(Role::kCode, 0.1);
  const AgentSettings debug = AgentOf(Role::kDebug, 0.1);
  EXPECT_EQ(UnheededNotice({plan, code, debug}, true),
            "openai:m takes no temperature, so plan 0.8, code 0.1 and debug "
            "0.1 do not apply; --plan-effort, --code-effort and --debug-effort "
            "say how hard it reasons, which is its provider's default now");
  EXPECT_EQ(UnheededNotice({code}, false),
            "openai:m takes no temperature, so code 0.1 does not apply");
}

TEST(AgentModelsTest, WhoHasAnEffortOrNoTemperatureIsToldNothing) {
  EXPECT_EQ(UnheededNotice({AgentOf(Role::kPlan, 0.8, "high"),
                            AgentOf(Role::kCode, std::nullopt)},
                           true),
            "");
}

}  // namespace
}  // namespace coppice::engine
