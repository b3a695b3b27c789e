#include "eval/torch/tensor_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "eval/formats/test_tasks.h"
#include "eval/host/machine.h"

namespace coppice::eval::torch {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// So many numbers of 4 bytes in, and as many out.
Task CopyTask(std::int64_t numbers) {
  Task task;
  task.definition.name = "copy";
  task.definition.axes = {{"N", numbers, std::nullopt}};
  task.definition.inputs = {Tensor("x", {"N"})};
  task.definition.outputs = {Tensor("y", {"N"})};
  task.workloads.resize(1);
  return task;
}

// Both together may be a quarter of the memory.
TEST(TensorMemoryTest, TensorsMustFitFourTimes) {
  const auto most = static_cast<std::int64_t>(MemoryBytes() / 4 / 8);
  EXPECT_TRUE(MustFit(CopyTask(most), "cpu"));
  const auto fits = MustFit(CopyTask(most + 1), "cpu");
  ASSERT_FALSE(fits);
  EXPECT_EQ(fits.error().code, Errc::kUnfit);
  EXPECT_THAT(fits.error().what,
              StartsWith("copy: its inputs and outputs are "));
  EXPECT_TRUE(MustFit(CopyTask(most + 1), "cuda:0"));
}

TEST(TensorMemoryTest, WhatIsTooLargeIsToldInOneLine) {
  const Error error = TooLarge("copy", "inputs", 12'345'000'000);
  EXPECT_THAT(error.what,
              StartsWith("copy: its inputs are 12.3 GB, and judging it on a "
                         "CPU takes 4 times as much memory, of which"));
  EXPECT_THAT(error.what,
              HasSubstr("; a copy of its file with smaller sizes "));
}

}  // namespace
}  // namespace coppice::eval::torch
