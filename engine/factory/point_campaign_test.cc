#include "engine/factory/point_campaign.h"

#include <gtest/gtest.h>

#include <cmath>

#include "agents/prompt/grounded_instructions.h"
#include "agents/prompt/prompt_context.h"
#include "config/settings.h"
#include "engine/campaign/campaign.h"
#include "engine/campaign/campaign_parts.h"
#include "engine/campaign/root_candidate.h"
#include "engine/run/simulated_rig.h"
#include "search/landscapes/in_memory_campaign.h"
#include "search/landscapes/point_text.h"
#include "store/records/evaluation.h"
#include "store/records/tier.h"
#include "store/write/nodes.h"

namespace coppice::engine {
namespace {

using store::Must;

// Parent, verdict, picoseconds, and family, for every node but the root.
std::vector<std::string> Told(const NodeSummary& node) {
  const auto runtime_s = node.runtime_s;
  const auto family = static_cast<std::size_t>(node.behaviour.family);
  return {std::to_string(Index(*node.parent)), std::string(Name(node.verdict)),
          runtime_s ? std::to_string(std::llround(*runtime_s * 1e12)) : "-",
          std::string(kTechniqueFamilyNames.at(family))};
}

using Tree = std::vector<std::vector<std::string>>;

Tree InMemory(const std::string& landscape, const std::string& policy_name,
              search::Workforce workforce, int attempts) {
  const auto policy = Must(search::MakePolicy(policy_name));
  const search::TaskLaw law = Must(Landscapes().LawOf(landscape));
  search::InMemoryCampaign campaign(*policy, law.TaskOf(SimulatedRig::kSeed),
                                    law.root_runtime_s(), SimulatedRig::kSeed,
                                    workforce);
  Tree tree;
  for (int i = 0; i < attempts; ++i) {
    const NodeSummary& node = campaign.tree().Node(campaign.Step(attempts - i));
    tree.push_back(Told(node));
  }
  return tree;
}

Tree ThroughTheStore(const std::string& landscape, const std::string& policy,
                     config::Agents agents, int attempts) {
  SimulatedRig rig(attempts, policy, landscape);
  const auto database = rig.Connect();
  CampaignParts parts = rig.PartsFor(*database);
  parts.agents = agents;
  Campaign campaign(parts, rig.Row(), rig.OptionsFor(1));
  Silent observer;
  EXPECT_EQ(Must(campaign.Run(observer)), Ending::kBudgetSpent);
  Tree tree;
  Must(store::Nodes(*database).Scan(rig.Row().id, [&](const NodeSummary& node) {
    if (!node.parent) return;
    tree.push_back(Told(node));
  }));
  return tree;
}

struct Pairing {
  const char* landscape;
  const char* policy;
  config::Agents agents;
};

class EngineEqualsMemoryTest : public testing::TestWithParam<Pairing> {};

// Parents, verdicts, runtimes and families of all nodes, in order.
TEST_P(EngineEqualsMemoryTest, BothMakeTheSameTree) {
  constexpr int kAttempts = 60;
  const auto& [landscape, policy, agents] = GetParam();
  const search::Workforce workforce = agents == config::Agents::kTeam
                                          ? search::Workforce::kTeam
                                          : search::Workforce::kAlone;
  const Tree memory = InMemory(landscape, policy, workforce, kAttempts);
  EXPECT_EQ(memory.size(), 60u);
  EXPECT_EQ(ThroughTheStore(landscape, policy, agents, kAttempts), memory);
}

constexpr auto kTeam = config::Agents::kTeam;
constexpr auto kAlone = config::Agents::kAlone;

INSTANTIATE_TEST_SUITE_P(
    Landscapes, EngineEqualsMemoryTest,
    testing::Values(
        Pairing{"sim:hill/1", "stark", kTeam},
        Pairing{"sim:nk/2", "stark", kAlone},
        Pairing{"sim:ladder/3", "greedy", kTeam},
        Pairing{"sim:weak/1", "epsilon_greedy", kTeam},
        Pairing{"sim:deceptive/2", "reflexion", kAlone},
        Pairing{"sim:hill/3", "best_of_k", kTeam},
        Pairing{"sim:hill/3", "best_of_k", kAlone},
        Pairing{"recorded:pnpoly_RTX_3090", "stark", kTeam},
        Pairing{"recorded:gemm_RTX_2080_Ti/informed", "epsilon_greedy", kTeam},
        Pairing{"recorded:convolution_A100/raw", "reflexion", kAlone},
        Pairing{"sim:hill/1", "xei_hint", kTeam},
        Pairing{"recorded:gemm_RTX_2080_Ti", "xei_hint", kTeam},
        Pairing{"recorded:gemm_RTX_3090", "map_elites", kTeam},
        Pairing{"sim:nk/1", "map_elites", kAlone},
        Pairing{"sim:hill/1", "shinka:cross=1", kTeam},
        Pairing{"sim:nk/2", "evolutionary:cross=1", kAlone},
        Pairing{"sim:ladder/2", "shinka:cross=0.5", kTeam},
        Pairing{"sim:weak/2", "evolutionary:cross=1", kTeam},
        Pairing{"sim:deceptive/1", "shinka:cross=1", kAlone},
        Pairing{"recorded:pnpoly_RTX_3090", "evolutionary:cross=1", kTeam}),
    [](const auto& tested) {
      std::string name = std::string(tested.param.landscape) + "_" +
                         tested.param.policy +
                         (tested.param.agents == kTeam ? "_team" : "_alone");
      for (char& letter : name) {
        if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
      }
      return name;
    });

// Replay makes the mates again, so one that was changed is told; doctor says
// what is wrong with a node that is combined with itself.
TEST(PointCampaignTest, WhatAnAttemptCombinesIsStoredShownAndMadeAgain) {
  for (const char* task : {"sim:basic", "sim:ladder/1"}) {
    SimulatedRig rig(60, "shinka:cross=1,islands=1", task);
    const auto database = rig.Connect();
    const CampaignParts parts = rig.PartsFor(*database);
    Campaign campaign(parts, rig.Row(), rig.OptionsFor(1));
    Silent observer;
    Must(campaign.Run(observer));
    EXPECT_EQ(rig.Findings(), std::vector<std::string>{}) << task;
    const auto crossed = rig.Rows(
        "SELECT count(*) > 5 FROM parents WHERE position = 1 AND parent > 0");
    EXPECT_EQ(crossed, std::vector<std::string>{"1"}) << task;
    // Each but the root was shown to each agent of its attempt.
    EXPECT_EQ(rig.Rows("SELECT count(*) FROM parents p JOIN calls c USING"
                       " (campaign, decision) WHERE p.position = 1"
                       " AND p.parent > 0 AND NOT EXISTS (SELECT 1 FROM"
                       " windows w WHERE w.call_id = c.call_id"
                       " AND w.node = p.parent AND w.kinship = 'mate')"),
              std::vector<std::string>{"0"})
        << task;
    store::Damage(rig.path(),
                  "UPDATE attempt_parent SET parent_number ="
                  " (SELECT parent_number FROM attempt a WHERE"
                  "  a.attempt_id = attempt_parent.attempt_id)");
    std::string findings;
    for (const std::string& each : rig.Findings()) findings += each + "\n";
    EXPECT_NE(findings.find("is made differently"), std::string::npos);
    EXPECT_NE(findings.find("or with itself"), std::string::npos) << findings;
  }
}

// Eight attempts at the same time on the root are the first eight children.
TEST(PointCampaignTest, AttemptsSideBySideAreDifferentOnes) {
  SimulatedRig rig(64, "best_of_k", "sim:hill/1");
  const auto database = rig.Connect();
  const CampaignParts parts = rig.PartsFor(*database);
  Campaign campaign(parts, rig.Row(), rig.OptionsFor(8));
  Silent observer;
  ASSERT_EQ(Must(campaign.Run(observer)), Ending::kBudgetSpent);
  EXPECT_EQ(rig.Rows("SELECT count(*) FROM nodes WHERE node > 0"),
            std::vector<std::string>{"64"});
  EXPECT_EQ(rig.Rows("SELECT count(DISTINCT source_blob) FROM nodes"
                     " WHERE node > 0"),
            std::vector<std::string>{"64"});
  EXPECT_TRUE(rig.Findings().empty());
}

agents::PromptContext PointAtRoot(const Task& task, Role role) {
  agents::PromptContext context;
  context.role = role;
  context.task = &task;
  context.selected.source = task.root.sources.at(0).content;
  context.selected.verdict = Verdict::kPassed;
  context.seed = 7;
  return context;
}

std::string AskOf(agents::Model& model, const agents::PromptContext& context) {
  agents::ModelRequest request;
  request.role = context.role;
  request.context = &context;
  return Must(model.Complete(request)).text;
}

// What a language model's answers go through, a simulated one's do too.
TEST(PointCampaignTest, PlansAreGroundedAndCodeStaysInTheirSpans) {
  const Task task = Must(Landscapes().Find("sim:hill/1"));
  const auto model = Must(Landscapes().MakeModel(task));
  agents::PromptContext context = PointAtRoot(task, Role::kPlan);
  for (int level = 0; level < 3; ++level) {
    context.role = Role::kPlan;
    context.plan.reset();
    const auto plan = agents::ParsePlanAnswer(AskOf(*model, context),
                                              context.selected.source);
    ASSERT_TRUE(plan.has_value()) << plan.error().what;
    EXPECT_TRUE(plan->grounded);
    EXPECT_EQ(plan->technique, level == 0 ? "rewrite" : "edit");
    context.role = Role::kCode;
    context.plan = *plan;
    const auto source = agents::ParseCodeAnswer(AskOf(*model, context));
    ASSERT_TRUE(source.has_value());
    EXPECT_EQ(
        agents::MeasureEdits(plan->annotated_source, *source).changed_outside,
        0);
    context.selected.source = *source;
  }
}

TEST(PointCampaignTest, TheRootHasASpeedupOfOne) {
  const Task task = Must(Landscapes().Find("recorded:gemm_RTX_3090"));
  const auto evaluator = Must(Landscapes().MakeEvaluator(task));
  const Evaluation evaluation =
      Must(evaluator->Evaluate(task, RootCandidate(task), Tier::kFast));
  EXPECT_EQ(evaluation.verdict, Verdict::kPassed);
  EXPECT_EQ(evaluation.runtime_s, evaluation.root_runtime_s);
}

// ln 2 as the fast tier measures it, and 0.5 without the noise of that.
TEST(PointCampaignTest, TheFullTierHasNoNoise) {
  const Task task = Must(Landscapes().Find("sim:hill/1"));
  const auto evaluator = Must(Landscapes().MakeEvaluator(task));
  search::PointText text = Must(search::ParsePoint(RootCandidate(task).source));
  text.point.depth = 1;
  text.point.position.log_speedup = 0.5;
  text.point.measured = std::log(2.0);
  const Candidate candidate{Language::kSim, Render(text), "point"};
  const auto speedup = [&](Tier tier) {
    const Evaluation evaluation =
        Must(evaluator->Evaluate(task, candidate, tier));
    return *evaluation.root_runtime_s / *evaluation.runtime_s;
  };
  EXPECT_NEAR(speedup(Tier::kFast), 2.0, 1e-12);
  EXPECT_NEAR(speedup(Tier::kFull), std::exp(0.5), 1e-12);
}

TEST(PointCampaignTest, WhatIsNoPointOfTheLandscapeDoesNotPass) {
  const Task task = Must(Landscapes().Find("sim:hill/1"));
  const auto evaluator = Must(Landscapes().MakeEvaluator(task));
  const auto judge = [&](const std::string& source) {
    return Must(evaluator->Evaluate(task, {Language::kSim, source, "point"},
                                    Tier::kFast));
  };
  EXPECT_EQ(judge("hello\n").verdict, Verdict::kCompileFailed);
  EXPECT_EQ(judge("hello\n").log, "line 1: expected sim and its value");
  const Evaluation other = judge("sim nk/1\nroot_runtime_s 0.01\n");
  EXPECT_EQ(other.verdict, Verdict::kRejected);
  EXPECT_EQ(other.log, "nk/1: another landscape than the task's");
}

// exp(0.5) and exp(0.2) times as fast as the task's own root, so exp(0.3) times
// as fast as the second in its place.
TEST(PointCampaignTest, AnotherKernelMayBeTheRoot) {
  Task task = Must(Landscapes().Find("sim:hill/1"));
  const auto evaluator = Must(Landscapes().MakeEvaluator(task));
  search::PointText text = Must(search::ParsePoint(RootCandidate(task).source));
  const auto at = [&](double log_speedup, Verdict verdict) {
    text.point.depth = 1;
    text.point.verdict = verdict;
    text.point.position.log_speedup = log_speedup;
    return Candidate{Language::kSim, Render(text), "point"};
  };
  const Candidate kernel = at(0.5, Verdict::kPassed);
  task.root.sources[0].content = at(0.2, Verdict::kPassed).source;
  const Evaluation evaluation =
      Must(evaluator->Evaluate(task, kernel, Tier::kFull));
  EXPECT_NEAR(evaluation.speedup->ratio, std::exp(0.3), 1e-12);
  task.root.sources[0].content = at(0.2, Verdict::kCrashed).source;
  EXPECT_EQ(evaluator->Evaluate(task, kernel, Tier::kFull).error().what,
            "the root: fails at run time");
}

}  // namespace
}  // namespace coppice::engine
