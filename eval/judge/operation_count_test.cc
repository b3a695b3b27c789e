#include "eval/judge/operation_count.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "eval/formats/test_tasks.h"

namespace coppice::eval {
namespace {

using testing::HasSubstr;

// RowSumTask: x[R, 300] and y[R] of float32, with R = 33.
Result<OperationCount> WorkWith(std::vector<std::string> tags) {
  Task task = RowSumTask();
  task.definition.tags = std::move(tags);
  const Workload& workload = task.workloads.front();
  TRY(shapes, Resolve(task.definition, workload));
  return LeastWork(task.definition, workload, shapes);
}

// 33 * 300 + 33 elements of 4 bytes.
TEST(OperationCountTest, EveryElementIsReadAndWrittenOnce) {
  const auto work = WorkWith({});
  ASSERT_TRUE(work);
  EXPECT_EQ(work->bytes, 39732.0);
  EXPECT_EQ(work->flops, 0.0);
}

TEST(OperationCountTest, ATaskMaySayThatInputsNeedNotBeRead) {
  EXPECT_EQ(WorkWith({"floor:outputs"})->bytes, 132.0);
}

// 2 * 33 * 300 + 33.
TEST(OperationCountTest, OperationsAreASumOfProducts) {
  EXPECT_EQ(WorkWith({"flops:2*R*C+R"})->flops, 19833.0);
  EXPECT_EQ(WorkWith({"flops:7"})->flops, 7.0);
}

TEST(OperationCountTest, WhatCannotBeReadIsTheTasksFault) {
  for (const char* tag : {"flops:", "flops:2*", "flops:+R", "flops:R++C",
                          "flops:R**C", "flops:-1", "flops:X", "flops:2 * R",
                          "flops:1e3", "flops:99999999999999999999"}) {
    const auto work = WorkWith({tag});
    ASSERT_FALSE(work) << tag;
    EXPECT_EQ(work.error().code, Errc::kUsage);
    EXPECT_THAT(work.error().what, HasSubstr("row_sum: tag flops:"));
  }
}

TEST(OperationCountTest, OnlyOutputsIsWhatMayBeSaid) {
  EXPECT_EQ(WorkWith({"floor:inputs"})->bytes, 39732.0);
  EXPECT_EQ(WorkWith({"floor:outputs", "flops:0"})->flops, 0.0);
}

}  // namespace
}  // namespace coppice::eval
