#include "eval/torch/cases.h"

#include <gtest/gtest.h>

namespace coppice::eval::torch {
namespace {

Task WithWorkloads(TaskFormat format, std::vector<std::string> uuids) {
  Task task;
  task.format = format;
  for (std::string& uuid : uuids) {
    task.workloads.push_back(
        {.uuid = std::move(uuid), .axes = {}, .inputs = {}});
  }
  return task;
}

// By the numbers that its process knows them by.
TEST(CasesTest, TestsComeBeforeBenchmarks) {
  Task task = WithWorkloads(TaskFormat::kGpuMode, {"size=8", "size=9"});
  task.definition.tags = {"rtol:0.1", "test:size=2", "test:size=3"};
  const auto cases = CasesOf(task);
  ASSERT_EQ(cases.size(), 4U);
  EXPECT_EQ(cases[0].workload, "test size=2");
  EXPECT_FALSE(cases[0].is_timed);
  EXPECT_EQ(cases[1].workload, "test size=3");
  EXPECT_EQ(cases[2].workload, "size=8");
  EXPECT_TRUE(cases[2].is_timed);
  EXPECT_EQ(cases[3].workload, "size=9");
}

// Two of the same arguments have numbers of their own.
TEST(CasesTest, NoneIsLeftOut) {
  Task task = WithWorkloads(TaskFormat::kGpuMode, {"size=8", "size=8"});
  task.definition.tags = {"test:", "test:size=8", "test:size=8"};
  const auto cases = CasesOf(task);
  ASSERT_EQ(cases.size(), 5U);
  EXPECT_EQ(cases[0].workload, "test ");
  EXPECT_EQ(cases[2].workload, "test size=8");
  EXPECT_EQ(cases[4].workload, "size=8");
}

TEST(CasesTest, AnyOtherFormatHasItsOnlyWorkload) {
  for (const TaskFormat format :
       {TaskFormat::kKernelBench, TaskFormat::kFlashInferBench}) {
    Task task = WithWorkloads(format, {"w"});
    task.definition.tags = {"test:size=2"};
    const auto cases = CasesOf(task);
    ASSERT_EQ(cases.size(), 1U);
    EXPECT_EQ(cases[0].workload, "w");
    EXPECT_TRUE(cases[0].is_timed);
  }
}

}  // namespace
}  // namespace coppice::eval::torch
