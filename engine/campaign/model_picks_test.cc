// Campaigns whose code agent has two models, one of which never writes what
// compiles.
#include "engine/campaign/model_picks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/campaign/campaign.h"
#include "engine/campaign/campaign_parts.h"
#include "engine/campaign/live_tree.h"
#include "engine/run/simulated_rig.h"
#include "search/policies/model_rule.h"
#include "search/tree.h"
#include "store/read/snapshot.h"

namespace coppice::engine {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Bungler final : public agents::Model {
 public:
  std::string_view Provider() const override { return "test"; }
  std::string_view ModelName() const override { return "bungler"; }
  Result<agents::ModelAnswer> Complete(const agents::ModelRequest&) override {
    return agents::ModelAnswer{
        "```\nno landscape " + std::to_string(++answers_) + "\n```\n", {}, 0.0};
  }

 private:
  int answers_ = 0;  // Of one thread at a time, as it is used here.
};

class ModelPicksTest : public ::testing::Test {
 protected:
  // "catalogue|40|1": chosen for 40 attempts, of which one or more passed.
  std::vector<std::string> Run(const std::string& rule, int parallel = 1) {
    const auto made = store::Must(search::MakeModelRule(rule));
    const auto database = rig_.Connect();
    CampaignParts parts = rig_.PartsFor(*database);
    parts.model_rule = made.get();
    parts.rosters = {{Role::kCode,
                      "exec:bungler,catalogue",
                      {"exec:bungler", "catalogue"},
                      {{&bungler_, {}}, parts.code}}};
    Campaign campaign(parts, rig_.Row(), rig_.OptionsFor(parallel));
    Silent observer;
    EXPECT_EQ(campaign.Run(observer).value(), Ending::kBudgetSpent);
    return rig_.Rows(
        "SELECT model, count(*), sum(verdict = 'passed') > 0"
        " FROM model_choices WHERE role = 'code' GROUP BY model");
  }

  SimulatedRig rig_{80, "stark"};
  Bungler bungler_;
};

// Both are asked at first.  Then the loser of two has epsilon, 0.2, while it is
// not ahead by how seldom it was asked.
TEST_F(ModelPicksTest, TheBanditsShareGoesToTheModelThatCompiles) {
  const auto rows = Run("bandit");
  ASSERT_EQ(rows.size(), 2u);
  const auto count = [](const std::string& row) {
    return std::stoi(row.substr(row.find('|') + 1));
  };
  EXPECT_TRUE(rows[0].ends_with("|1")) << rows[0];  // Of the catalogue.
  EXPECT_TRUE(rows[1].ends_with("|0")) << rows[1];
  EXPECT_GE(count(rows[1]), 1);
  EXPECT_GE(count(rows[0]), 2 * count(rows[1])) << rows[0] << ", " << rows[1];
  EXPECT_THAT(rig_.Findings(), IsEmpty());
  EXPECT_THAT(
      rig_.Rows("SELECT role, chosen, asked = chosen, mean_gain, cost_usd"
                " FROM model_scores WHERE model = 'exec:bungler'"),
      ElementsAre("code|" + std::to_string(count(rows[1])) + "|1|1|0"));
  EXPECT_THAT(rig_.Rows("SELECT count(*) FROM model_choices k JOIN calls c"
                        " USING (campaign, decision, role) WHERE"
                        " (k.model = 'catalogue') <> (c.model = 'landscape')"),
              ElementsAre("0"));
}

TEST_F(ModelPicksTest, RoundRobinSharesAlike) {
  const auto rows = Run("round_robin");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_THAT(rig_.Rows("SELECT max(n) - min(n) <= 1 FROM (SELECT count(*) AS n"
                        " FROM model_choices GROUP BY model)"),
              ElementsAre("1"));
  EXPECT_THAT(rig_.Findings(), IsEmpty());
}

// What was in flight, and what had come, is known for each choice.
TEST_F(ModelPicksTest, ChoicesSideBySideAreMadeAgain) {
  Run("bandit:discount=0.9", 4);
  EXPECT_THAT(rig_.Findings(), IsEmpty());
  EXPECT_THAT(rig_.Rows("SELECT DISTINCT rule, models FROM model_choices"),
              ElementsAre("bandit:discount=0.9|exec:bungler,catalogue"));
}

TEST_F(ModelPicksTest, AChoiceThatNobodyWouldMakeIsFound) {
  Run("round_robin");
  const auto database = rig_.Connect();
  store::Change(*database,
                "UPDATE attempt_model SET model = 'catalogue'"
                " WHERE attempt_id = 1");
  EXPECT_THAT(rig_.Findings(), Contains("decision 0 is made differently"));
  store::Change(*database,
                "UPDATE attempt_model SET rule = 'dice' WHERE attempt_id = 1");
  const auto annals = store::Must(store::ReadAnnals(*database, rig_.Row().id));
  const search::Tree tree{{}};
  const std::vector<AskedModel> none;
  EXPECT_EQ(PickAgain(annals.decisions[0].picks.at(0), {tree, none, 7, 0})
                .error()
                .what,
            "decision 0 chose a model by what is none: model_choice 'dice' is "
            "unknown; it is bandit, with or without constants, or "
            "round_robin");
}

}  // namespace
}  // namespace coppice::engine
