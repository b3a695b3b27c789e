#include "engine/factory/simulation.h"

#include <gtest/gtest.h>

#include "agents/prompt/grounded_instructions.h"
#include "agents/prompt/prompt_context.h"
#include "store/records/evaluation.h"
#include "store/records/tier.h"

namespace coppice::engine {
namespace {

agents::PromptContext AtRoot(const Task& task, Role role) {
  agents::PromptContext context;
  context.role = role;
  context.task = &task;
  context.selected.source = task.root.sources.at(0).content;
  context.seed = 7;
  return context;
}

std::string Ask(agents::Model& model, const agents::PromptContext& context) {
  agents::ModelRequest request;
  request.role = context.role;
  request.context = &context;
  auto answer = model.Complete(request);
  EXPECT_TRUE(answer.has_value());
  return answer.has_value() ? answer->text : "";
}

TEST(SimulationTest, AnUnknownLandscapeIsAUsageError) {
  const auto task = SimulatedTask("basci");
  ASSERT_FALSE(task.has_value());
  EXPECT_EQ(task.error().code, Errc::kUsage);
}

TEST(SimulationTest, ATaskOfAPointHasItAsItsOnlySource) {
  const Task task = TaskOfPoint("sim:mine", "x 1\n");
  EXPECT_EQ(task.definition.name, "sim:mine");
  EXPECT_EQ(task.root.name, "sim:mine__root");
  EXPECT_EQ(task.root.language, Language::kSim);
  ASSERT_EQ(task.root.sources.size(), 1u);
  EXPECT_EQ(task.root.sources[0].path, task.root.entry_file);
  EXPECT_EQ(task.root.sources[0].content, "x 1\n");
  EXPECT_EQ(InFences("x 1\n"), "```\nx 1\n```\n");
}

TEST(SimulationTest, TheRootPassesWithASpeedupOfOne) {
  const auto task = SimulatedTask("basic");
  ASSERT_TRUE(task.has_value());
  auto evaluator = MakeSimulatedEvaluator(*task);
  ASSERT_TRUE(evaluator.has_value());
  const auto evaluation =
      (*evaluator)
          ->Evaluate(
              *task,
              {Language::kSim, task->root.sources.at(0).content, "point"},
              Tier::kFast);
  ASSERT_TRUE(evaluation.has_value());
  EXPECT_EQ(evaluation->verdict, Verdict::kPassed);
  EXPECT_DOUBLE_EQ(*evaluation->runtime_s, *evaluation->root_runtime_s);
}

// What a language model's answers go through, a simulated one's do too.
TEST(SimulationTest, PlansAreGroundedAndEqualForEqualDecisions) {
  const auto task = SimulatedTask("basic");
  ASSERT_TRUE(task.has_value());
  auto model = MakeSimulatedModel(*task);
  ASSERT_TRUE(model.has_value());
  agents::PromptContext context = AtRoot(*task, Role::kPlan);
  const std::string answer = Ask(**model, context);
  const auto plan = agents::ParsePlanAnswer(answer, context.selected.source);
  ASSERT_TRUE(plan.has_value()) << plan.error().what;
  EXPECT_TRUE(plan->grounded);
  EXPECT_FALSE(plan->technique.empty());
  EXPECT_EQ(Ask(**model, context), answer);
}

// The edits of many decisions: some code is written, and it stays in its span.
TEST(SimulationTest, CodeRealisesThePlanInsideItsSpan) {
  const auto task = SimulatedTask("basic");
  ASSERT_TRUE(task.has_value());
  auto model = MakeSimulatedModel(*task);
  ASSERT_TRUE(model.has_value());
  int written = 0;
  for (int decision = 0; decision < 20; ++decision) {
    agents::PromptContext context = AtRoot(*task, Role::kPlan);
    context.decision = decision;
    auto plan =
        agents::ParsePlanAnswer(Ask(**model, context), context.selected.source);
    ASSERT_TRUE(plan.has_value());
    context.role = Role::kCode;
    context.plan = *plan;
    const auto source = agents::ParseCodeAnswer(Ask(**model, context));
    if (!source) continue;
    ++written;
    EXPECT_EQ(
        agents::MeasureEdits(plan->annotated_source, *source).changed_outside,
        0);
  }
  EXPECT_GT(written, 10);
}

// The same draws: alone, it writes what it would have planned.
TEST(SimulationTest, AloneItPlansCodesAndRepairsInOneAnswer) {
  const auto task = SimulatedTask("basic");
  ASSERT_TRUE(task.has_value());
  auto model = MakeSimulatedModel(*task);
  ASSERT_TRUE(model.has_value());
  agents::PromptContext context = AtRoot(*task, Role::kPlan);
  context.selected.verdict = Verdict::kPassed;
  const auto plan =
      agents::ParsePlanAnswer(Ask(**model, context), context.selected.source);
  context.role = Role::kCode;
  const std::string alone = Ask(**model, context);
  context.plan = plan.value();
  EXPECT_EQ(Ask(**model, context), alone);

  context.plan.reset();
  context.selected.verdict = Verdict::kCrashed;
  EXPECT_NE(Ask(**model, context), alone);
}

// Whichever kernel is the root, it is as fast as itself.
TEST(SimulationTest, AnotherKernelMayBeTheRoot) {
  Task task = *SimulatedTask("basic");
  const auto evaluator = *MakeSimulatedEvaluator(task);
  const std::string own = task.root.sources[0].content;
  std::string other = own;
  other.replace(other.find("tile 0"), 6, "tile 1");
  const auto over = [&](const std::string& root, const std::string& source) {
    task.root.sources[0].content = root;
    return evaluator->Evaluate(task, {Language::kSim, source, "point"},
                               Tier::kFull);
  };
  EXPECT_DOUBLE_EQ(over(other, other)->speedup->ratio, 1.0);
  EXPECT_NE(over(own, other)->speedup->ratio, 1.0);
  EXPECT_DOUBLE_EQ(
      over(other, own)->speedup->ratio * over(own, other)->speedup->ratio, 1.0);
  EXPECT_EQ(over("no point", own).error().what,
            "the root: line 1: expected 'sim LANDSCAPE'");
}

}  // namespace
}  // namespace coppice::engine
