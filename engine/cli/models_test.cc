#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/cli/cli_fixture.h"
#include "store/records/model_pick.h"

namespace coppice::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The code agent has two models; the rehearsal's campaign chose none.
class ModelsTest : public ::testing::Test, protected Rehearsal {
 protected:
  void Pick(CampaignId in, NodeId parent, const std::string& model,
            std::optional<double> runtime_s) {
    ModelPick pick;
    pick.role = Role::kCode;
    pick.models = "replay:model,replay:other";
    pick.model = model;
    pick.rule = "bandit";
    pick.reason = "tried least";
    store::Outcome outcome;
    outcome.picks = {pick};
    outcome.runtime_s = runtime_s;
    outcome.verdict = runtime_s ? Verdict::kPassed : Verdict::kCrashed;
    Grow(database(), in, parent, outcome);
  }
  nlohmann::json Json(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"report", "models", "--json"});
    return nlohmann::json::parse(Say(more).out);
  }
};

TEST_F(ModelsTest, WhereNobodyChoseThereIsNothingToTell) {
  EXPECT_EQ(Say({"report", "models"}).out,
            "no role has several models; --code-model A,B gives it two\n");
  EXPECT_EQ(Json(), nlohmann::json::array());
}

// The root takes 4 s: 2 s and 8 s are gains of 2 and 0.5, whose geometric mean
// is 1; the other model's kernel crashed.
TEST_F(ModelsTest, EachModelIsToldByWhatCameOfIt) {
  Pick(campaign(), kRootNode, "replay:model", 2.0);
  Pick(campaign(), kRootNode, "replay:model", 8.0);
  Pick(campaign(), kRootNode, "replay:other", std::nullopt);
  const auto json = Json();
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[0]["campaign"], "a");
  EXPECT_EQ(json[0]["role"], "code");
  EXPECT_EQ(json[0]["model"], "replay:model");
  EXPECT_EQ(json[0]["chosen"], 2);
  EXPECT_EQ(json[0]["asked"], 2);
  EXPECT_EQ(json[0]["passed"], 2);
  EXPECT_EQ(json[0]["best_gain"], 2.0);
  EXPECT_EQ(json[1]["model"], "replay:other");
  EXPECT_EQ(json[1]["chosen"], 1);
  EXPECT_EQ(json[1]["passed"], 0);
  EXPECT_EQ(json[1]["improved"], 0);
  EXPECT_EQ(json[1]["best_gain"], nullptr);
  const std::string text = Say({"report", "models"}).out;
  EXPECT_THAT(text, HasSubstr("campaign  role  model "));
  EXPECT_THAT(text, HasSubstr("  2.00x "));
}

TEST_F(ModelsTest, OneCampaignIsToldOfIfItIsNamed) {
  const CampaignId other = store::Plant(database(), "b");
  Pick(campaign(), kRootNode, "replay:model", 2.0);
  Pick(other, kRootNode, "replay:other", 2.0);
  EXPECT_EQ(Json().size(), 2u);
  const auto json = Json({"--campaign", "b"});
  ASSERT_EQ(json.size(), 1u);
  EXPECT_EQ(json[0]["model"], "replay:other");
  EXPECT_EQ(Say({"report", "models", "--campaign", "c"}).exit, Exit::kUsage);
}

TEST_F(ModelsTest, ANameCannotSteerTheTerminal) {
  Pick(campaign(), kRootNode, "replay:\033[2J", 2.0);
  const std::string text = Say({"report", "models"}).out;
  EXPECT_THAT(text, HasSubstr("replay:?[2J"));
  EXPECT_THAT(text, Not(HasSubstr("\033")));
}

}  // namespace
}  // namespace coppice::cli
