#include "engine/interchange/solutions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "eval/formats/trace_set.h"
#include "store/records/node.h"
#include "store/records/task.h"
#include "store/write/campaigns.h"

namespace coppice::engine {
namespace {

using ::testing::HasSubstr;

// A root of two files, of which the first is its entry.
Task TaskOfTwoFiles() {
  Task task;
  task.definition.name = "gemm";
  task.root.name = "gemm_naive";
  task.root.definition = "gemm";
  task.root.author = "somebody";
  task.root.entry_file = "kernel.cc";
  task.root.target_hardware = {"cpu"};
  task.root.entry_symbol = "run";
  task.root.sources = {{"kernel.cc", "naive"}, {"helper.h", "help"}};
  return task;
}

NodeRecord NodeWith(const std::string& source) {
  NodeRecord node;
  node.id = NodeId{7};
  node.parent = kRootNode;
  node.candidate = Candidate{Language::kCpp, source, "go"};
  return node;
}

store::CampaignRow CampaignNamed(const std::string& name) {
  store::CampaignRow campaign;
  campaign.spec.name = name;
  return campaign;
}

TEST(SolutionsTest, ANodeIsTheRootWithAnotherSourceAndAName) {
  const Task task = TaskOfTwoFiles();
  NodeRecord node = NodeWith("fast");
  node.plan.emplace();
  node.plan->advice = "tile it";
  const Solution solution = SolutionOf(CampaignNamed("grid/a/1"), task, node);
  EXPECT_EQ(solution.name, "grid_a_1.node7");  // It is a file's name, too.
  EXPECT_EQ(solution.author, "coppice");
  EXPECT_EQ(solution.description, "tile it");
  EXPECT_EQ(solution.entry_symbol, "go");
  EXPECT_EQ(solution.sources[0].content, "fast");
  EXPECT_EQ(solution.sources[1].content, "help");
  EXPECT_EQ(solution.definition, "gemm");
}

TEST(SolutionsTest, TheRootIsItsOwnSolution) {
  const Task task = TaskOfTwoFiles();
  NodeRecord root = NodeWith("naive");
  root.id = kRootNode;
  root.parent.reset();
  EXPECT_EQ(SolutionOf(CampaignNamed("a"), task, root).name, "gemm_naive");
  EXPECT_EQ(SolutionOf(CampaignNamed("a"), task, root).author, "somebody");
}

// The last " by " parts them: a name may have one, an author has none.
TEST(SolutionsTest, AnImportedNodeSaysByItsReasonWhoseItIs) {
  const Task task = TaskOfTwoFiles();
  Solution made = task.root;
  made.name = "sorted by rows";
  made.author = "ann";
  EXPECT_EQ(ReasonFor(made), "sorted by rows by ann");
  const Solution back =
      ImportedSolution(task, NodeWith("fast"), ReasonFor(made));
  EXPECT_EQ(back.name, "sorted by rows");
  EXPECT_EQ(back.author, "ann");
  EXPECT_EQ(back.sources[0].content, "fast");
  EXPECT_EQ(ImportedSolution(task, NodeWith("fast"), "nobody's").name,
            "gemm_naive");
}

// What source, plan and reason tell of it needs no document; anything else is
// kept as one, from which it comes back.
TEST(SolutionsTest, APlantedSolutionComesBackWhole) {
  const Task task = TaskOfTwoFiles();
  for (const bool is_plain : {true, false}) {
    Solution made = task.root;
    made.name = "mine";
    made.author = "ann";
    made.description = "tile it";
    made.sources[0].content = "fast";
    if (!is_plain) made.sources[1].content = "other help";
    NodeRecord node = NodeWith("");
    Plant(made, task, node);
    EXPECT_EQ(eval::IsSolutionDocument(node.candidate->source), !is_plain);
    EXPECT_EQ(node.plan.has_value(), is_plain);
    EXPECT_EQ(
        eval::SerialiseSolution(ImportedSolution(task, node, ReasonFor(made))),
        eval::SerialiseSolution(made));
  }
}

TEST(SolutionsTest, ABaselineIsTheExpertsOwnOrNone) {
  Task task = TaskOfTwoFiles();
  const auto none = BaselineSolution(task, "expert");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Errc::kCorrupt);
  EXPECT_THAT(none.error().what, HasSubstr("no baseline is called \"expert\""));
  task.expert = task.root;
  task.expert->name = "cublas";
  EXPECT_EQ(BaselineSolution(task, "expert")->name, "cublas");
  EXPECT_FALSE(BaselineSolution(task, "Expert"));
}

}  // namespace
}  // namespace coppice::engine
