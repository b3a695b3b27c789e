#include "engine/factory/agent_factory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agents/provider/agent_session.h"
#include "agents/provider/model.h"
#include "config/settings.h"
#include "engine/campaign/session_opener.h"
#include "engine/factory/factory_fixture.h"
#include "engine/factory/model_factory.h"
#include "engine/process/clock.h"
#include "engine/process/system_timer.h"

namespace coppice::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class NoSession final : public SessionOpener {
 public:
  Result<std::unique_ptr<agents::AgentSession>> Open(
      SessionMatter /*matter*/) const override {
    return Fail(Errc::kUsage, "a test opens none");
  }
};

// Notes for whom an opener was wanted.
class NotedOpeners final : public SessionOpeners {
 public:
  explicit NotedOpeners(std::vector<std::string>& asked) : asked_(asked) {}

  const SessionOpener* OpenerFor(const config::Settings& /*settings*/,
                                 const config::ModelChoice& choice,
                                 const agents::ModelTable& /*table*/) override {
    asked_.push_back(choice.provider);
    return &opener_;
  }

 private:
  std::vector<std::string>& asked_;
  NoSession opener_;
};

class AgentFactoryTest : public testing::Test {
 protected:
  config::Settings Said(const std::vector<config::Override>& options) const {
    return lines_.Load(options).settings;
  }

  std::vector<Agent> AgentsFor(Role role, const config::Settings& settings) {
    return store::Must(agents_.AgentsFor(cpp_, settings, role));
  }

  std::string Refusal(Role role, const std::string& model,
                      Language language = Language::kCpp) {
    const auto agent =
        agents_.AgentNamed(TaskIn(language), Said({}), role, model);
    if (agent) return "made";
    EXPECT_EQ(agent.error().code, Errc::kUsage);
    return agent.error().what;
  }

  CommandLines lines_;
  const config::Loaded loaded_ = lines_.Load();
  SystemClock clock_;
  SystemTimer timer_{clock_};
  ModelFactory models_{loaded_.settings, timer_};
  std::vector<std::string> asked_;
  AgentFactory agents_{models_, std::make_unique<NotedOpeners>(asked_)};
  const Task cpp_ = TaskIn(Language::kCpp);
};

TEST_F(AgentFactoryTest, EachModelOfARoleIsAnAgent) {
  const config::Settings settings = Said({{"code_model", "catalogue,exec:cat"},
                                          {"code_temperature", "0.3"},
                                          {"max_output_tokens", "99"}});
  const std::vector<Agent> agents = AgentsFor(Role::kCode, settings);
  ASSERT_EQ(agents.size(), 2u);
  EXPECT_EQ(agents[0].model->Provider(), "catalogue");
  EXPECT_FALSE(agents[0].is_language_model);
  EXPECT_EQ(agents[1].model->Provider(), "exec");
  EXPECT_TRUE(agents[1].is_language_model);
  for (const Agent& agent : agents) {
    EXPECT_EQ(agent.sampling.temperature, 0.3);
    EXPECT_EQ(agent.sampling.max_output_tokens, 99);
    EXPECT_EQ(agent.sessions, nullptr);
  }
  EXPECT_EQ(AgentsFor(Role::kPlan, settings).size(), 1u);
}

TEST_F(AgentFactoryTest, RolesHaveTemperaturesOfTheirOwn) {
  // STARK's, section 4.1.
  EXPECT_EQ(AgentsFor(Role::kPlan, Said({}))[0].sampling.temperature, 0.8);
  EXPECT_EQ(AgentsFor(Role::kDebug, Said({}))[0].sampling.temperature, 0.1);
}

TEST_F(AgentFactoryTest, OnlyThoseInSessionsGetAnOpener) {
  const auto agents = AgentsFor(
      Role::kCode,
      Said({{"code_model", "session:cat,exec:cat,codex-session:m,outside"}}));
  ASSERT_EQ(agents.size(), 4u);
  EXPECT_NE(agents[0].sessions, nullptr);
  EXPECT_EQ(agents[1].sessions, nullptr);
  EXPECT_NE(agents[2].sessions, nullptr);
  EXPECT_EQ(agents[3].sessions, nullptr);
  EXPECT_FALSE(agents[3].is_language_model);
  EXPECT_THAT(asked_, ElementsAre("session", "codex-session"));
}

TEST_F(AgentFactoryTest, WithoutOpenersNobodyWorksInSessions) {
  AgentFactory alone(models_, nullptr);
  const auto agents = store::Must(alone.AgentsFor(
      cpp_, Said({{"code_model", "session:cat"}}), Role::kCode));
  EXPECT_EQ(agents.at(0).sessions, nullptr);
}

TEST_F(AgentFactoryTest, AnEffortThatAModelDoesNotTakeIsRefused) {
  const auto refused = agents_.AgentsFor(
      cpp_, Said({{"code_model", "exec:cat"}, {"code_effort", "high"}}),
      Role::kCode);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kUsage);
  EXPECT_THAT(refused.error().what,
              HasSubstr("--code-effort high: exec:cat takes no effort"));
}

TEST_F(AgentFactoryTest, APersonMayNameOneModelForARole) {
  const auto agent =
      agents_.AgentNamed(cpp_, Said({}), Role::kDebug, "exec:cat");
  ASSERT_TRUE(agent) << agent.error().what;
  EXPECT_EQ(agent->model->Provider(), "exec");
  EXPECT_EQ(agent->sampling.temperature, 0.1);  // Of the debug agent.
}

TEST_F(AgentFactoryTest, WhatIsNoModelForTheTaskIsRefused) {
  EXPECT_EQ(Refusal(Role::kCode, ""), "expected PROVIDER or PROVIDER:MODEL");
  EXPECT_THAT(Refusal(Role::kCode, "opanai:m"), HasSubstr("no such provider"));
  EXPECT_EQ(Refusal(Role::kCode, "catalogue"), "made");
  EXPECT_THAT(Refusal(Role::kPlan, "catalogue", Language::kPython),
              HasSubstr("is in Python, which the catalogue does not write"));
}

TEST_F(AgentFactoryTest, WhoIsToldOfNoTemperatureIsTold) {
  const std::string rest = ", which is its provider's default now";
  EXPECT_THAT(store::Must(agents_.UnheededNotices(
                  cpp_, Said({{"code_model", "openai:gpt-5.4-mini"},
                              {"debug_model", "openai:gpt-5.4-mini"}}))),
              ElementsAre("openai:gpt-5.4-mini takes no temperature, so code "
                          "0.1 and debug 0.1 do not apply; --code-effort and "
                          "--debug-effort say how hard it reasons" +
                          rest));
}

// No plan is asked for, nor a repair.
TEST_F(AgentFactoryTest, AgentsThatAreNotAskedNeedNoNotice) {
  EXPECT_THAT(store::Must(agents_.UnheededNotices(
                  cpp_, Said({{"plan_model", "openai:gpt-5.4-mini"},
                              {"agents", "alone"}}))),
              ElementsAre());
}

// The named one stands in for the catalogue, which writes no Python.
TEST_F(AgentFactoryTest, InPythonAllAgentsOfTheNamedModelAreTold) {
  const auto notices = store::Must(
      agents_.UnheededNotices(TaskIn(Language::kPython),
                              Said({{"code_model", "openai:gpt-5.4-mini"}})));
  ASSERT_EQ(notices.size(), 1u);
  EXPECT_THAT(notices[0], HasSubstr("plan 0.8, code 0.1 and debug 0.1"));
}

}  // namespace
}  // namespace coppice::engine
