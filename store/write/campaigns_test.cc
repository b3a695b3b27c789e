#include "store/write/campaigns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/fault.h"
#include "store/scratch.h"
#include "store/write/nodes.h"

namespace coppice::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CampaignsTest : public ::testing::Test {
 protected:
  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  Campaigns campaigns_{database_};
};

TEST_F(CampaignsTest, AnotherPolicyIsAnEventOfTheDecisionFromWhichItHolds) {
  CampaignSpec spec = SpecNamed("a");
  spec.settings = {{"policy", "stark", "default"}};
  const CampaignId id = Must(campaigns_.Create(spec));
  Must(Nodes(database_).Commit(id, std::nullopt, RootNode(), 1000.0));
  Grow(database_, id, kRootNode);
  Must(campaigns_.Enter(
      {}, {{.id = id, .policy = {{"policy", "greedy", "command line"}}}}));
  const CampaignSpec now = Must(campaigns_.Find("a")).spec;
  EXPECT_EQ(now.policy, "stark");
  EXPECT_EQ(PolicyOf(now), "greedy");
  EXPECT_THAT(Rows(database_,
                   "SELECT subject, detail FROM event WHERE kind = 'policy'"),
              ElementsAre("1|greedy"));
}

// This holds of a campaign whose settings were not kept, too.
TEST_F(CampaignsTest, ThePolicyOfItsStartDecidesUntilThereIsAnother) {
  const CampaignId id = Must(campaigns_.Create(SpecNamed("a")));
  EXPECT_EQ(PolicyOf(Must(campaigns_.Find("a")).spec), "stark");
  Must(campaigns_.Enter(
      {}, {{.id = id, .policy = {{"policy", "greedy", "command line"}}}}));
  EXPECT_EQ(PolicyOf(Must(campaigns_.Find("a")).spec), "greedy");
}

TEST_F(CampaignsTest, ARuleFinishesACampaignWithAnEvent) {
  const CampaignId id = Must(campaigns_.Create(SpecNamed("a")));
  Must(campaigns_.Stop(id, "2 times as fast", 2000.0));
  EXPECT_EQ(Must(campaigns_.Find("a")).state, CampaignState::kFinished);
  EXPECT_THAT(Rows(database_,
                   "SELECT kind, detail, at_s FROM event"
                   " ORDER BY event_id DESC LIMIT 1"),
              ElementsAre("stopped|2 times as fast|2000"));
  EXPECT_FALSE(campaigns_.Stop(CampaignId{9}, "", 2000.0));
}

TEST_F(CampaignsTest, ACampaignIsFoundByItsName) {
  Must(campaigns_.Create(SpecNamed("a")));
  Must(campaigns_.Create(SpecNamed("b")));
  EXPECT_EQ(Must(campaigns_.Find("b")).spec.uuid,
            Must(campaigns_.List())[1].spec.uuid);
  EXPECT_EQ(campaigns_.Find("c").error().code, Errc::kNotFound);
}

TEST_F(CampaignsTest, ASpecComesBackAsItWasGiven) {
  CampaignSpec spec = SpecNamed("a");
  spec.seed = 0xFFFF'FFFF'FFFF'FFFE;  // Above the range of signed numbers.
  spec.budget_s = 60.5;
  spec.settings = {{"model", "m1", "coppice.toml:12"},
                   {"retries", "3", "default"}};
  Must(campaigns_.Create(spec));
  const std::vector<CampaignRow> rows = Must(campaigns_.List());
  ASSERT_EQ(rows.size(), 1u);
  const CampaignSpec& read = rows[0].spec;
  EXPECT_EQ(read.uuid, spec.uuid);
  EXPECT_EQ(read.name, "a");
  EXPECT_EQ(read.task_name, "matmul");
  EXPECT_EQ(read.task_level, 1);
  EXPECT_EQ(read.task_json, spec.task_json);
  EXPECT_EQ(read.policy, "stark");
  EXPECT_EQ(read.seed, spec.seed);
  EXPECT_EQ(read.budget_attempts, 100);
  EXPECT_EQ(read.budget_s, 60.5);
  EXPECT_EQ(read.created_at_s, 1000.0);
  ASSERT_EQ(read.settings.size(), 2u);
  EXPECT_EQ(read.settings[0].origin, "coppice.toml:12");
  EXPECT_EQ(rows[0].state, CampaignState::kRunning);
  EXPECT_EQ(rows[0].attempts, 0);
  EXPECT_EQ(rows[0].nodes, 0);
}

TEST_F(CampaignsTest, ManyAreCreatedWhereTheyAreMissing) {
  Must(campaigns_.Create(SpecNamed("b")));
  Must(campaigns_.Enter({SpecNamed("a"), SpecNamed("b")}, {}));
  const std::vector<CampaignRow> rows = Must(campaigns_.List());
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].spec.name, "b");
  EXPECT_EQ(rows[1].spec.name, "a");
}

TEST_F(CampaignsTest, OfManyAllAreCreatedOrNone) {
  CampaignSpec twice = SpecNamed("b");
  twice.settings = {{"model", "m1", "default"}, {"model", "m2", "default"}};
  EXPECT_FALSE(campaigns_.Enter({SpecNamed("a"), twice}, {}));
  EXPECT_TRUE(Must(campaigns_.List()).empty());
}

TEST_F(CampaignsTest, WhatOneCommandAsksForIsEnteredAtOnceOrNotAtAll) {
  CampaignSpec spec = SpecNamed("a");
  spec.settings = {{"retries", "3", "default"}};
  const CampaignId a = Must(campaigns_.Create(spec));
  int commits = 0;
  SetCommitHook([&](CommitPoint point) {
    if (point == CommitPoint::kBefore) ++commits;
  });
  const auto enter = [&](const std::string& key) {
    return campaigns_.Enter({SpecNamed("b")},
                            {{.id = a,
                              .budget_attempts = 300,
                              .budget_s = 60.0,
                              .settings = {{key, "4", "command line"}}}});
  };
  const auto entered = [&] {
    return Rows(database_,
                "SELECT name, budget_attempts, budget_s, value FROM campaign"
                " LEFT JOIN setting USING (campaign_id) ORDER BY name");
  };
  const auto before = entered();
  EXPECT_EQ(enter("other").error().code, Errc::kNotFound);
  EXPECT_EQ(commits, 0);
  EXPECT_EQ(entered(), before);
  Must(enter("retries"));
  EXPECT_EQ(commits, 1);
  SetCommitHook(nullptr);
  EXPECT_THAT(entered(), ElementsAre("a|300|60|4", "b|100|-|-"));
}

TEST_F(CampaignsTest, AnEmptyFileHasNone) {
  EXPECT_TRUE(Must(campaigns_.List()).empty());
}

TEST_F(CampaignsTest, ATakenNameIsBusyAndATakenUuidToo) {
  CampaignSpec spec = SpecNamed("a");
  Must(campaigns_.Create(spec));
  const auto again = campaigns_.Create(SpecNamed("a"));
  ASSERT_FALSE(again.has_value());
  EXPECT_EQ(again.error().code, Errc::kBusy);
  EXPECT_THAT(again.error().what, HasSubstr("campaign a exists already"));
  spec.name = "b";
  EXPECT_EQ(campaigns_.Create(spec).error().code, Errc::kBusy);
}

TEST_F(CampaignsTest, ASettingGivenTwiceLeavesNoCampaign) {
  CampaignSpec spec = SpecNamed("a");
  spec.settings = {{"k", "1", "default"}, {"k", "2", "command line"}};
  EXPECT_EQ(campaigns_.Create(spec).error().code, Errc::kUsage);
  EXPECT_TRUE(Must(campaigns_.List()).empty());
}

TEST_F(CampaignsTest, TimeAddsUpAndChangesOfStateAreEvents) {
  const CampaignId id = Must(campaigns_.Create(SpecNamed("a")));
  Must(campaigns_.Update(id, CampaignState::kRunning, 1.5, 1010.0));
  Must(campaigns_.Update(id, CampaignState::kPaused, 2.0, 1020.0));
  Must(campaigns_.Update(id, CampaignState::kFinished, 0.0, 1030.0));
  const CampaignRow row = Must(campaigns_.List())[0];
  EXPECT_EQ(row.elapsed_s, 3.5);
  EXPECT_EQ(row.state, CampaignState::kFinished);
  EXPECT_THAT(Rows(database_, "SELECT kind, at_s FROM event"),
              ElementsAre("created|1000", "paused|1020", "finished|1030"));
}

TEST_F(CampaignsTest, ABudgetGrowsButNotBelowWhatIsUsed) {
  const CampaignId id = Plant(database_, "a");
  Grow(database_, id, kRootNode);
  Grow(database_, id, kRootNode);
  Must(campaigns_.Update(id, CampaignState::kRunning, 50.0, 1010.0));
  Must(campaigns_.SetBudget(id, 300, 60.0));
  EXPECT_EQ(Must(campaigns_.List())[0].spec.budget_attempts, 300);
  EXPECT_EQ(Must(campaigns_.List())[0].spec.budget_s, 60.0);
  EXPECT_EQ(campaigns_.SetBudget(id, 1, std::nullopt).error().code,
            Errc::kUsage);
  EXPECT_EQ(campaigns_.SetBudget(id, 300, 40.0).error().code, Errc::kUsage);
  // An attempt took longer than was left: more attempts may still be allowed.
  Must(campaigns_.Update(id, CampaignState::kRunning, 20.0, 1030.0));
  Must(campaigns_.SetBudget(id, 400, 60.0));
  EXPECT_EQ(campaigns_.SetBudget(id, 400, 65.0).error().code, Errc::kUsage);
  Must(campaigns_.SetBudget(id, 300, std::nullopt));
  EXPECT_FALSE(Must(campaigns_.List())[0].spec.budget_s.has_value());
}

TEST_F(CampaignsTest, ALargerBudgetPausesWhatWasFinished) {
  const CampaignId id = Must(campaigns_.Create(SpecNamed("a")));  // Of 100.
  const auto state_with = [&](std::int64_t attempts,
                              std::optional<double> seconds) {
    Must(campaigns_.Update(id, CampaignState::kFinished, 0.0, 1010.0));
    Must(campaigns_.SetBudget(id, attempts, seconds));
    return Must(campaigns_.Find("a")).state;
  };
  EXPECT_EQ(state_with(100, 60.0), CampaignState::kFinished);
  EXPECT_EQ(state_with(101, 60.0), CampaignState::kPaused);
  EXPECT_EQ(state_with(90, 60.0), CampaignState::kFinished);
  EXPECT_EQ(state_with(90, 61.0), CampaignState::kPaused);
  EXPECT_EQ(state_with(90, std::nullopt), CampaignState::kPaused);
  EXPECT_EQ(state_with(90, 61.0), CampaignState::kFinished);
}

TEST_F(CampaignsTest, ASettingMayGetAnotherValue) {
  CampaignSpec spec = SpecNamed("a");
  spec.settings = {{"model", "m1", "default"}, {"retries", "3", "default"}};
  const CampaignId id = Must(campaigns_.Create(spec));
  Must(campaigns_.Enter(
      {}, {{.id = id, .settings = {{"retries", "4", "command line"}}}}));
  EXPECT_THAT(Rows(database_, "SELECT * FROM settings"),
              ElementsAre("a|model|m1|default", "a|retries|4|command line"));
}

TEST_F(CampaignsTest, TheLastIsTheOneThatSomethingWasDoneOn) {
  EXPECT_EQ(campaigns_.Last().error().code, Errc::kNotFound);
  const CampaignId a = Must(campaigns_.Create(SpecNamed("a")));
  Must(campaigns_.Create(SpecNamed("b")));
  EXPECT_EQ(Must(campaigns_.Last()).spec.name, "b");
  Must(campaigns_.Update(a, CampaignState::kPaused, 1.0, 1010.0));
  EXPECT_EQ(Must(campaigns_.Last()).spec.name, "a");
  // One that waits has not run.
  Must(campaigns_.Create(SpecNamed("c")));
  EXPECT_EQ(Must(campaigns_.Last()).spec.name, "a");
  Grow(database_, Plant(database_, "d"), kRootNode);
  EXPECT_EQ(Must(campaigns_.Last()).spec.name, "d");
  Must(campaigns_.SetBudget(a, 300, std::nullopt));
  EXPECT_EQ(Must(campaigns_.Last()).spec.name, "a");
}

TEST_F(CampaignsTest, AMissingCampaignIsNotFound) {
  EXPECT_EQ(campaigns_.Update(CampaignId{5}, CampaignState::kPaused, 0, 0)
                .error()
                .code,
            Errc::kNotFound);
  EXPECT_EQ(campaigns_.SetBudget(CampaignId{5}, 1, {}).error().code,
            Errc::kNotFound);
}

TEST_F(CampaignsTest, WhatIsChangedIsOfOneCampaign) {
  CampaignSpec spec = SpecNamed("a");
  spec.settings = {{"retries", "3", "default"}};
  const CampaignId a = Must(campaigns_.Create(spec));
  spec = SpecNamed("b");
  spec.settings = {{"retries", "5", "default"}};
  const CampaignId b = Must(campaigns_.Create(spec));
  Must(campaigns_.Enter({}, {{.id = b,
                              .settings = {{"retries", "6", "x"}},
                              .policy = {{"policy", "greedy", "x"}}}}));
  Must(campaigns_.SetBudget(b, 7, 8.0));
  Must(campaigns_.Update(b, CampaignState::kPaused, 1.0, 1010.0));
  Must(campaigns_.Stop(b, "a rule", 1020.0));
  const CampaignRow row = Must(campaigns_.Find("a"));
  EXPECT_EQ(row.id, a);
  EXPECT_EQ(row.state, CampaignState::kRunning);
  EXPECT_EQ(row.elapsed_s, 0.0);
  EXPECT_EQ(row.updated_at_s, 1000.0);
  EXPECT_EQ(row.spec.budget_attempts, 100);
  EXPECT_EQ(row.spec.budget_s, std::nullopt);
  EXPECT_EQ(PolicyOf(row.spec), "stark");
  ASSERT_EQ(row.spec.settings.size(), 1u);
  EXPECT_EQ(row.spec.settings[0].value, "3");
  EXPECT_EQ(Must(campaigns_.Find("b")).updated_at_s, 1020.0);
}

// As many attempts as were made, and as many seconds, are no less.
TEST_F(CampaignsTest, ABudgetMayBeWhatIsUsed) {
  const CampaignId id = Plant(database_, "a");
  Grow(database_, id, kRootNode);
  Must(campaigns_.Update(id, CampaignState::kRunning, 50.0, 1010.0));
  Must(campaigns_.SetBudget(id, 1, 50.0));
  EXPECT_EQ(campaigns_.SetBudget(id, 0, 50.0).error().code, Errc::kUsage);
  EXPECT_EQ(campaigns_.SetBudget(id, 1, 49.9).error().what,
            (directory_.File("x.db").string() +
             ": budget below what is used already (1 attempts, 50.0 s)"));
  EXPECT_THAT(
      Rows(database_, "SELECT at_s, detail FROM event WHERE kind = 'budget'"),
      ElementsAre("1010|1 attempts"));
}

}  // namespace
}  // namespace coppice::store
