#include "eval/torch/bench.h"

#include <gtest/gtest.h>

#include "eval/torch/verdicts.h"

namespace coppice::eval::torch {
namespace {

Task RuledTask(TaskFormat format, Protocol protocol,
               std::vector<std::string> tags = {}) {
  Task task;
  task.format = format;
  task.protocol = protocol;
  task.definition.tags = std::move(tags);
  task.eval_config.atol = 0.5;
  task.eval_config.rtol = 0.25;
  return task;
}

TEST(RuleOfTest, KernelBenchsIsOfTheTasksPrecision) {
  const Rule rule = RuleOf(RuledTask(
      TaskFormat::kKernelBench, Protocol::kBenchmark, {"precision:float16"}));
  EXPECT_EQ(rule.protocol, Protocol::kBenchmark);
  EXPECT_EQ(rule.precision, DType::kFloat16);
  EXPECT_FALSE(rule.matching);
  EXPECT_FALSE(rule.closeness);
}

// What the task configures holds for its own protocol, and is no matter for
// ours.
TEST(RuleOfTest, FlashInferBenchsIsOfTheTasksConfiguration) {
  const Rule rule =
      RuleOf(RuledTask(TaskFormat::kFlashInferBench, Protocol::kBenchmark));
  ASSERT_TRUE(rule.matching);
  EXPECT_EQ(rule.matching->absolute, 0.5);
  EXPECT_EQ(rule.matching->relative, 0.25);
  EXPECT_FALSE(
      RuleOf(RuledTask(TaskFormat::kFlashInferBench, Protocol::kCoppice))
          .matching);
}

TEST(RuleOfTest, GpuModesIsOfTheTasksTags) {
  const Rule rule = RuleOf(RuledTask(TaskFormat::kGpuMode, Protocol::kCoppice,
                                     {"rtol:0.5", "atol:0.125"}));
  ASSERT_TRUE(rule.closeness);
  EXPECT_EQ(rule.closeness->relative, 0.5);
  EXPECT_EQ(rule.closeness->absolute, 0.125);
}

}  // namespace
}  // namespace coppice::eval::torch
