// Every task that comes with the program is admitted: its root passes on every
// distribution of inputs, and kernels that compute nothing, or not all of it,
// fail on each of its workloads.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "eval/admission.h"
#include "eval/formats/trace_set.h"
#include "eval/judge/evaluator.h"

namespace coppice {
namespace {

std::vector<std::string> Names() {
  return eval::ListDefinitions(COPPICE_TASKS_DIR)
      .value_or(std::vector<std::string>{});
}

class TaskAdmissionTest : public testing::TestWithParam<std::string> {};

TEST_P(TaskAdmissionTest, TheRootPassesAndNullCandidatesFail) {
  const auto task = eval::LoadTask(COPPICE_TASKS_DIR, GetParam());
  ASSERT_TRUE(task.has_value()) << task.error().what;
  EXPECT_GE(task->workloads.size(), 3u);
  eval::CpuEvaluatorOptions options;
  options.cache_directory = COPPICE_TEST_CACHE;
  options.runner = COPPICE_RUNNER;
  const auto evaluator = eval::MakeCpuEvaluator(options);
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

// The levels that the benchmark promises.
TEST(TaskSetTest, HasTwelveSixAndThreeTasksOrMoreByLevel) {
  int levels[4] = {};
  for (const std::string& name : Names()) {
    const auto task = eval::LoadTask(COPPICE_TASKS_DIR, name);
    ASSERT_TRUE(task.has_value()) << task.error().what;
    const std::string level = TagValue(task->definition, "level").value_or("0");
    ASSERT_TRUE(level == "1" || level == "2" || level == "3") << name;
    ++levels[level[0] - '0'];
  }
  EXPECT_GE(levels[1], 12);
  EXPECT_GE(levels[2], 6);
  EXPECT_GE(levels[3], 3);
}

}  // namespace
}  // namespace coppice
