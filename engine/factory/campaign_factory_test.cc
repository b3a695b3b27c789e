#include "engine/factory/campaign_factory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agents/prompt/prompt_templates.h"
#include "agents/provider/model.h"
#include "config/keys.h"
#include "config/settings.h"
#include "engine/campaign/campaign_parts.h"
#include "engine/campaign/station.h"
#include "engine/campaign/torch_baselines.h"
#include "engine/factory/factory_fixture.h"
#include "engine/factory/fitness.h"
#include "engine/factory/simulation.h"
#include "engine/process/clock.h"
#include "store/records/lesson.h"
#include "store/write/campaigns.h"

namespace coppice::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CampaignFactoryTest : public testing::Test {
 protected:
  CampaignFactoryTest() {
    spec_.name = "c";
    spec_.task_name = "sim:basic";
    spec_.policy = "stark";
  }

  CampaignFactory& Made(const std::vector<config::Override>& options = {}) {
    loaded_ = lines_.Load(options);
    factory_ = store::Must(CampaignFactory::Make(loaded_, "", clock_, drain_));
    return *factory_;
  }

  std::string Refusal(const std::vector<config::Override>& options) {
    const config::Loaded loaded = lines_.Load(options);
    const auto made = CampaignFactory::Make(loaded, "", clock_, drain_);
    if (made) return "made";
    EXPECT_EQ(made.error().code, Errc::kUsage);
    return made.error().what;
  }

  // What a campaign gets that was started with `kept`, and goes on by `said`.
  CampaignParts Equipped(std::vector<store::CampaignSetting> kept,
                         const std::vector<config::Override>& said) {
    spec_.settings = std::move(kept);
    return store::Must(Made(said).Equip(task_, spec_, database_));
  }

  CommandLines lines_;
  SystemClock clock_;
  const std::atomic<bool> drain_{false};
  config::Loaded loaded_;
  std::unique_ptr<CampaignFactory> factory_;
  store::Database database_ = store::NewFile(lines_.File("x.db"));
  const Task task_ = store::Must(SimulatedTask("basic"));
  store::CampaignSpec spec_;
};

TEST_F(CampaignFactoryTest, MistypedNamesShowBeforeAnythingIsMade) {
  EXPECT_THAT(Refusal({{"prompts", "v9"}}), HasSubstr("prompts: v9"));
  EXPECT_THAT(Refusal({{"baselines", "eagre"}}), HasSubstr("eager"));
  EXPECT_THAT(Refusal({{"model_choice", "bandits"}}), HasSubstr("bandit"));
  EXPECT_THAT(Refusal({{"stop_at_baseline", "expart"}}),
              HasSubstr("expected expert"));
}

// Help is a line of constants: it cannot ask the table of baselines.
TEST(SettingsHelpTest, BaselinesOfTorchAreNamedInIt) {
  for (const std::string& name : TorchBaselineNames()) {
    EXPECT_THAT(config::FindKey("baselines")->help, HasSubstr(name));
    EXPECT_THAT(config::FindKey("stop_at_baseline")->help, HasSubstr(name));
  }
}

TEST_F(CampaignFactoryTest, ACampaignIsPreparedBeforeItsFileIsThere) {
  EXPECT_TRUE(Made().Prepare(task_, "stark"));
  const auto policy = Made().Prepare(task_, "starc");
  ASSERT_FALSE(policy);
  EXPECT_THAT(policy.error().what, HasSubstr("did you mean stark?"));
  const auto model = Made({{"plan_model", "opanai:m"}}).Prepare(task_, "stark");
  ASSERT_FALSE(model);
  EXPECT_THAT(model.error().what, HasSubstr("opanai: no such provider"));
}

TEST_F(CampaignFactoryTest, AgentsSeeAndCostWhatTheSettingsSay) {
  const CampaignParts parts = Equipped({}, {{"window_history", "3"},
                                            {"window_leaders", "1"},
                                            {"window_cap", "all"},
                                            {"window_leaders_rule", "board"},
                                            {"grounding", "required"},
                                            {"system_message", "v2"},
                                            {"cap_usd", "2"},
                                            {"plan_cap_tokens", "1000"},
                                            {"day_cap_usd", "5"},
                                            {"settle_after_s", "none"},
                                            {"tuning_trials", "4"},
                                            {"threads", "2"}});
  EXPECT_EQ(parts.window.max_history, 3);
  EXPECT_EQ(parts.window.leaders, 1);
  EXPECT_EQ(parts.window.cap, agents::WindowCap::kAll);
  EXPECT_EQ(parts.window.rule, agents::Leaders::kBoard);
  EXPECT_EQ(parts.request_options.grounding, agents::Grounding::kRequired);
  EXPECT_EQ(parts.request_options.system_message, agents::SystemMessage::kV2);
  EXPECT_EQ(parts.caps.campaign.usd, 2.0);
  EXPECT_EQ(parts.caps.campaign.tokens, std::nullopt);
  EXPECT_EQ(parts.caps.roles[0].tokens, 1000);
  EXPECT_EQ(parts.caps.roles[1].tokens, std::nullopt);
  EXPECT_EQ(parts.caps.day.usd, 5.0);
  EXPECT_EQ(parts.caps.settle_after_s, std::nullopt);
  EXPECT_EQ(parts.tuning_trials, 4);
  EXPECT_EQ(parts.threads, 2);
  EXPECT_EQ(parts.prompts.set(), "coppice");
}

TEST_F(CampaignFactoryTest, WhatACampaignStartedWithHoldsUntilMoreIsSaid) {
  const std::vector<store::CampaignSetting> kept = {
      {"window_history", "9", "command line"}};
  EXPECT_EQ(Equipped(kept, {}).window.max_history, 9);
  EXPECT_EQ(Equipped(kept, {{"window_history", "3"}}).window.max_history, 3);
}

// Its database may be anybody's.
TEST_F(CampaignFactoryTest, ACommandOfADatabaseIsSaidAgain) {
  spec_.settings = {{"code_model", "exec:cat", "command line"}};
  const auto refused = Made().SettingsToGoOn(spec_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kUsage);
  EXPECT_EQ(refused.error().what,
            "c: was started with code_model 'exec:cat', which a database may "
            "not decide: give --code-model again to go on");
  EXPECT_TRUE(Made({{"code_model", "exec:cat"}}).SettingsToGoOn(spec_));
}

TEST_F(CampaignFactoryTest, ARoleWithSeveralModelsHasARoster) {
  const CampaignParts one = Equipped({}, {});
  EXPECT_TRUE(one.rosters.empty());
  EXPECT_EQ(one.code.model->Provider(), "simulation");
  const CampaignParts two =
      Equipped({}, {{"code_model", "exec:cat,catalogue"}});
  ASSERT_EQ(two.rosters.size(), 1u);
  EXPECT_EQ(two.rosters[0].role, Role::kCode);
  EXPECT_EQ(two.rosters[0].models, "exec:cat,catalogue");
  EXPECT_THAT(two.rosters[0].names, ElementsAre("exec:cat", "catalogue"));
  EXPECT_EQ(two.rosters[0].agents.size(), 2u);
  EXPECT_EQ(two.code.model->Provider(), "exec");  // The first.
}

TEST_F(CampaignFactoryTest, PoliciesAndRulesAreMadeOnce) {
  const CampaignParts first = Equipped({}, {});
  const CampaignParts again =
      store::Must(factory_->Equip(task_, spec_, database_));
  EXPECT_EQ(&again.policy, &first.policy);
  EXPECT_EQ(again.model_rule, first.model_rule);
  spec_.policy = "greedy";
  const CampaignParts other =
      store::Must(factory_->Equip(task_, spec_, database_));
  EXPECT_NE(&other.policy, &first.policy);
}

TEST_F(CampaignFactoryTest, AsManyAttemptsAsDevicesUnlessTheUserSays) {
  const std::vector<Station> three(3);
  EXPECT_EQ(Made().ParallelOn(three), 3);
  EXPECT_EQ(Made({{"parallel", "2"}}).ParallelOn(three), 2);
}

TEST_F(CampaignFactoryTest, WithoutAMemoryThereAreNoLessons) {
  CampaignFactory& factory = Made();
  EXPECT_TRUE((*factory.LessonsFor(task_, loaded_.settings))->empty());
  config::Settings settings = loaded_.settings;
  settings.memory = "a.db,,b.db";
  EXPECT_EQ(factory.LessonsFor(task_, settings).error().what,
            "--memory a.db,,b.db: a file has no name");
}

class FitnessTest : public CampaignFactoryTest {
 protected:
  // As of a task that nobody can judge here.
  Result<TaskFitness> Of(Language language, Result<bool> has_begun) {
    return FitnessOf(
        Made(), TaskIn(language),
        [&] {
          ++asked_;
          return has_begun;
        },
        Unfit::kAsUsual);
  }

  int asked_ = 0;
};

TEST_F(FitnessTest, OnlyTasksInPythonAreInDoubt) {
  const auto fitness = Of(Language::kCpp, true);
  EXPECT_TRUE(fitness->is_kept);
  EXPECT_FALSE(fitness->has_begun);
  EXPECT_EQ(asked_, 0);
}

TEST_F(FitnessTest, WhatCannotBeJudgedIsTakenForFit) {
  const auto fitness = Of(Language::kPython, false);
  ASSERT_TRUE(fitness) << fitness.error().what;
  EXPECT_EQ(fitness->why_unfit, "");
  EXPECT_TRUE(fitness->is_kept);
  EXPECT_THAT(fitness->unjudged, HasSubstr("can be judged"));
}

TEST_F(FitnessTest, WhatHasBegunGoesOn) {
  const auto fitness = Of(Language::kPython, true);
  ASSERT_TRUE(fitness) << fitness.error().what;
  EXPECT_TRUE(fitness->has_begun);
  EXPECT_TRUE(fitness->is_kept);
  EXPECT_EQ(asked_, 1);
}

TEST_F(FitnessTest, AFileThatCannotBeReadIsAnError) {
  const auto fitness = Of(Language::kPython, Fail(Errc::kIo, "x.db: gone"));
  EXPECT_EQ(fitness.error().what, "x.db: gone");
}

TEST(IsKeptTest, ABenchmarkKeepsItsOwnTasksUnlessTheUserSkipsThem) {
  EXPECT_TRUE(IsKept(Unfit::kKeep, Protocol::kCoppice));
  EXPECT_FALSE(IsKept(Unfit::kSkip, Protocol::kBenchmark));
  EXPECT_TRUE(IsKept(Unfit::kAsUsual, Protocol::kBenchmark));
  EXPECT_FALSE(IsKept(Unfit::kAsUsual, Protocol::kCoppice));
}

TEST(IsKeptTest, WhatIsNotKeptNamesTheWayOut) {
  EXPECT_TRUE(MustBeKept("t", {.why_unfit = "all zeros"}));
  const auto refused =
      MustBeKept("t", {.why_unfit = "all zeros", .is_kept = false});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kUnfit);
  EXPECT_EQ(refused.error().what,
            "t: all zeros; take another task, or keep it by --unfit keep");
}

}  // namespace
}  // namespace coppice::engine
