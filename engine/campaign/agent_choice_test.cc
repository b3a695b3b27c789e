#include "engine/campaign/agent_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/settings.h"
#include "engine/campaign/campaign_parts.h"
#include "engine/campaign/model_picks.h"
#include "engine/campaign/named_agents.h"
#include "engine/campaign/station.h"
#include "engine/run/simulated_rig.h"
#include "search/policies/model_rule.h"
#include "search/tree.h"
#include "store/records/attempt.h"
#include "store/records/directive.h"

namespace coppice::engine {
namespace {

using ::testing::ElementsAre;

constexpr NodeId kFailed{1};

class AgentChoiceTest : public ::testing::Test {
 protected:
  AgentChoiceTest() {
    for (const Role role : {Role::kPlan, Role::kCode, Role::kDebug}) {
      parts_.rosters.push_back(
          {role, "a:x,b:y", {"a:x", "b:y"}, {parts_.code, parts_.code}});
    }
    parts_.model_rule = rule_.get();
    parts_.named = &named_;
    tree_.Add({.id = kRootNode,
               .parent = std::nullopt,
               .verdict = Verdict::kPassed,
               .runtime_s = 1.0,
               .kernel_hash = 1});
    tree_.Add({.id = kFailed,
               .parent = kRootNode,
               .verdict = Verdict::kCrashed,
               .runtime_s = std::nullopt,
               .kernel_hash = 2});
  }

  const Agent* CodeAgentOf(std::vector<ModelPick> picks) {
    AttemptRecord attempt;
    attempt.reservation.picks = std::move(picks);
    const auto agent = AgentOf(parts_, Role::kCode, attempt);
    return agent ? *agent : nullptr;
  }

  Directive Naming(std::optional<Role> role) const {
    Directive directive;
    directive.id = DirectiveId{3};
    directive.author = "ana";
    directive.kind = DirectiveKind::kModel;
    directive.role = role;
    directive.text = "c:z";
    return directive;
  }

  // "code a:x", by role; or what is wrong.
  std::vector<std::string> Picks(
      NodeId parent, const std::vector<const Directive*>& in_force = {}) {
    const auto picks = PickModels(
        parts_, {tree_, in_force, parent, rig_.Row().id, 7, /*decision=*/2});
    if (!picks) return {picks.error().what};
    std::vector<std::string> said;
    for (const ModelPick& pick : *picks) {
      said.push_back(std::string(Name(pick.role)) + " " + pick.model);
    }
    return said;
  }

  SimulatedRig rig_{10};
  std::unique_ptr<store::Database> database_ = rig_.Connect();
  CampaignParts parts_ = rig_.PartsFor(*database_);
  std::unique_ptr<search::ModelRule> rule_ = search::MakeRoundRobin();
  std::optional<Role> keyless_;
  NamedAgents named_{[this](Role role, const std::string&) -> Result<Agent> {
    if (role == keyless_) return Fail(Errc::kUsage, "no key");
    return parts_.debug;
  }};
  search::Tree tree_{search::Eligibility{}};
};

TEST_F(AgentChoiceTest, WithoutAPickTheFirstOfItsRoleIsAsked) {
  EXPECT_EQ(AgentOf(parts_, Role::kPlan, {}).value(), &parts_.plan);
  EXPECT_EQ(AgentOf(parts_, Role::kCode, {}).value(), &parts_.code);
  EXPECT_EQ(AgentOf(parts_, Role::kDebug, {}).value(), &parts_.debug);
}

TEST_F(AgentChoiceTest, APickIsOfItsRoleAndOfItsRoster) {
  const Roster& coders = parts_.rosters[1];
  EXPECT_EQ(CodeAgentOf({{Role::kCode, "b:y", "", "", ""}}), &coders.agents[1]);
  EXPECT_EQ(CodeAgentOf({{Role::kCode, "a:x", "", "", ""}}), &coders.agents[0]);
  EXPECT_EQ(CodeAgentOf({{Role::kPlan, "b:y", "", "", ""}}), &parts_.code);
  // The setting names it no more.
  EXPECT_EQ(CodeAgentOf({{Role::kCode, "c:z", "", "", ""}}), &parts_.code);
  parts_.rosters.clear();
  EXPECT_EQ(CodeAgentOf({{Role::kCode, "b:y", "", "", ""}}), &parts_.code);
}

TEST_F(AgentChoiceTest, WhomAPersonNamesIsAskedThoughNoRosterHasThem) {
  const ModelPick named = NamedPick(Role::kCode, Naming(Role::kCode));
  EXPECT_EQ(CodeAgentOf({named}), named_.Get(Role::kCode, "c:z").value());
  parts_.named = nullptr;
  EXPECT_EQ(CodeAgentOf({named}), &parts_.code);
}

TEST_F(AgentChoiceTest, OneThatCannotBeMadeNowIsAnError) {
  keyless_ = Role::kCode;
  EXPECT_EQ(CodeAgentOf({NamedPick(Role::kCode, Naming(Role::kCode))}),
            nullptr);
}

TEST_F(AgentChoiceTest, ADirectiveIsHeldAgainstTheRolesThatItNames) {
  keyless_ = Role::kDebug;
  EXPECT_EQ(WhyNotAsked(parts_, Naming(Role::kPlan)), "");
  EXPECT_EQ(WhyNotAsked(parts_, Naming(Role::kDebug)), "no key");
  EXPECT_EQ(WhyNotAsked(parts_, Naming(std::nullopt)), "no key");
  Directive advice = Naming(Role::kDebug);
  advice.kind = DirectiveKind::kAdvise;
  EXPECT_EQ(WhyNotAsked(parts_, advice), "");
  parts_.named = nullptr;
  EXPECT_EQ(WhyNotAsked(parts_, Naming(Role::kPlan)),
            "this campaign can ask no other model");
}

TEST(RoleForTest, FollowsFromWhatThereIsOfTheAttemptAndItsParent) {
  const auto team = [](Stage stage, Verdict verdict) {
    return RoleFor(config::Agents::kTeam, stage, verdict);
  };
  EXPECT_EQ(team(Stage::kReserved, Verdict::kPassed), Role::kPlan);
  EXPECT_EQ(team(Stage::kReserved, Verdict::kCrashed), Role::kDebug);
  EXPECT_EQ(team(Stage::kPlanned, Verdict::kPassed), Role::kCode);
  // It passed when the plan was made, and is in quarantine since.
  EXPECT_EQ(team(Stage::kPlanned, Verdict::kRejected), Role::kCode);
  for (const Verdict verdict : {Verdict::kPassed, Verdict::kCrashed}) {
    EXPECT_EQ(RoleFor(config::Agents::kAlone, Stage::kReserved, verdict),
              Role::kCode);
  }
}

// Nothing was asked before, so that turns begin with the first.
TEST_F(AgentChoiceTest, ModelsArePickedForThoseWhoWillBeAsked) {
  EXPECT_THAT(Picks(kRootNode), ElementsAre("plan a:x", "code a:x"));
  EXPECT_THAT(Picks(kFailed), ElementsAre("debug a:x"));
  parts_.agents = config::Agents::kAlone;
  EXPECT_THAT(Picks(kRootNode), ElementsAre("code a:x"));
  EXPECT_THAT(Picks(kFailed), ElementsAre("code a:x"));
}

TEST_F(AgentChoiceTest, ARoleOfOneModelHasNothingToPick) {
  parts_.rosters.erase(parts_.rosters.begin());  // Of who plans.
  EXPECT_THAT(Picks(kRootNode), ElementsAre("code a:x"));
}

TEST_F(AgentChoiceTest, APersonsModelGoesBeforeTheRule) {
  const Directive code = Naming(Role::kCode);
  EXPECT_THAT(Picks(kRootNode, {&code}), ElementsAre("plan a:x", "code c:z"));
  const Directive all = Naming(std::nullopt);
  EXPECT_THAT(Picks(kRootNode, {&all}), ElementsAre("plan c:z", "code c:z"));
}

// Its key may have gone since the directive was taken up.
TEST_F(AgentChoiceTest, NothingIsDecidedForAModelThatCannotBeAsked) {
  keyless_ = Role::kCode;
  const Directive code = Naming(Role::kCode);
  EXPECT_THAT(Picks(kRootNode, {&code}),
              ElementsAre("directive 3 of ana: no key; `coppice steer withdraw "
                          "3` asks the model of the settings again"));
}

}  // namespace
}  // namespace coppice::engine
