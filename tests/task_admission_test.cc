// Every task that comes with the program is admitted: its root passes on every
// distribution of inputs, and kernels that compute nothing, or not all of it,
// fail on each of its workloads.  Experts are right, too, on odd shapes.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/campaign/expert_baseline.h"
#include "eval/admission.h"
#include "eval/formats/trace_set.h"
#include "eval/judge/evaluator.h"
#include "eval/judge/evaluators.h"
#include "eval/judge/other_shapes.h"
#include "store/records/candidate.h"
#include "store/records/tier.h"
#include "tests/whole.h"

namespace coppice {
namespace {

std::vector<std::string> Names() {
  return eval::ListDefinitions(COPPICE_TASKS_DIR)
      .value_or(std::vector<std::string>{});
}

// Lists tasks by their folders, .../OP_TYPE/NAME, since loading all of them
// takes a while.
std::vector<std::string> NamesWithExpert() {
  std::vector<std::string> names;
  const std::filesystem::path experts =
      std::filesystem::path(COPPICE_TASKS_DIR) / "solutions" / "expert";
  std::error_code none;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(experts, none)) {
    if (entry.path().extension() != ".json") continue;
    names.push_back(entry.path().parent_path().filename());
  }
  std::ranges::sort(names);
  return names;
}

Result<std::unique_ptr<eval::Evaluator>> Judge() {
  eval::CpuEvaluatorOptions options;
  options.cache_directory = COPPICE_TEST_CACHE;
  options.runner = COPPICE_RUNNER;
  return eval::MakeCpuEvaluator(options);
}

class TaskAdmissionTest : public testing::TestWithParam<std::string> {};

TEST_P(TaskAdmissionTest, TheRootPassesAndNullCandidatesFail) {
  if (!IsTried(GetParam(), 4)) GTEST_SKIP() << "skipped: see tests/whole.h";
  auto task = eval::LoadTask(COPPICE_TASKS_DIR, GetParam());
  ASSERT_TRUE(task.has_value()) << task.error().what;
  EXPECT_GE(task->workloads.size(), 3u);
  // Only the odd sizes of kernels from outside are tried here: all of them take
  // minutes, by `coppice task check`.
  if (TagValue(task->definition, "level") == "foreign") {
    task->workloads.erase(task->workloads.begin(), task->workloads.end() - 1);
  }
  const auto evaluator = Judge();
  ASSERT_TRUE(evaluator.has_value()) << evaluator.error().what;
  const auto findings = eval::ExamineTask(**evaluator, *task);
  ASSERT_TRUE(findings.has_value()) << findings.error().what;
  bool is_told = true;
  for (const eval::Finding& finding : *findings) {
    const bool is_root = finding.candidate == "root";
    if (is_root && finding.found == Verdict::kInconclusive) is_told = false;
    EXPECT_TRUE(is_root ? !finding.Condemns() : finding.Good())
        << finding.candidate << " on " << finding.workload << ": expected "
        << Name(finding.expected) << ", found " << Name(finding.found) << ": "
        << finding.log;
  }
  if (!is_told) GTEST_SKIP() << "skipped: too busy a machine to time the root";
}

INSTANTIATE_TEST_SUITE_P(EveryTask, TaskAdmissionTest,
                         testing::ValuesIn(Names()),
                         [](const auto& name) { return name.param; });

class ExpertBaselineTest : public testing::TestWithParam<std::string> {};

TEST_P(ExpertBaselineTest, IsRightOnOddShapes) {
  auto task = eval::LoadTask(COPPICE_TASKS_DIR, GetParam());
  ASSERT_TRUE(task.has_value()) << task.error().what;
  // Draw 1 is short in every axis, draw 4 beside powers of two.
  std::vector<Workload> odd;
  for (const int draw : {1, 4}) {
    if (auto drawn = eval::DrawOtherShape(*task, 5, draw, 0)) {
      odd.push_back(*std::move(drawn));
    }
  }
  ASSERT_FALSE(odd.empty());
  task->workloads = odd;
  const auto evaluator = Judge();
  ASSERT_TRUE(evaluator.has_value()) << evaluator.error().what;
  const auto judged = (*evaluator)
                          ->Evaluate(engine::Trusting(*task),
                                     *engine::ExpertOf(*task), Tier::kFast);
  if (!judged && judged.error().code == Errc::kUnavailable) {
    GTEST_SKIP() << "skipped: " << judged.error().what;
  }
  ASSERT_TRUE(judged.has_value()) << judged.error().what;
  if (judged->verdict == Verdict::kInconclusive) {
    GTEST_SKIP() << "skipped: too busy a machine to time it";
  }
  EXPECT_EQ(judged->verdict, Verdict::kPassed) << judged->log;
}

INSTANTIATE_TEST_SUITE_P(EveryExpert, ExpertBaselineTest,
                         testing::ValuesIn(NamesWithExpert()),
                         [](const auto& name) { return name.param; });

// The levels that the benchmark promises.
TEST(TaskSetTest, HasTwelveSixAndThreeTasksOrMoreByLevelAndFifteenForeign) {
  int levels[4] = {};
  int foreign = 0;
  const auto tasks = eval::LoadTasks(COPPICE_TASKS_DIR);
  ASSERT_TRUE(tasks.has_value()) << tasks.error().what;
  for (const Task& task : *tasks) {
    const std::string& name = task.definition.name;
    const std::string level = TagValue(task.definition, "level").value_or("0");
    if (level == "foreign") {
      ++foreign;
      EXPECT_TRUE(task.expert) << name;
      continue;
    }
    ASSERT_TRUE(level == "1" || level == "2" || level == "3") << name;
    ++levels[level[0] - '0'];
  }
  EXPECT_GE(levels[1], 12);
  EXPECT_GE(levels[2], 6);
  EXPECT_GE(levels[3], 3);
  EXPECT_GE(foreign, 15);
}

}  // namespace
}  // namespace coppice
