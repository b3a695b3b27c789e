#include "eval/cpu/null_candidates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "eval/formats/test_tasks.h"

namespace coppice::eval::cpu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// A scalar, an integer tensor and two outputs, one of rank 0.
Task OddTask() {
  Task task;
  task.definition.name = "odd";
  task.definition.axes = {{"K", 7, std::nullopt},
                          {"N", std::nullopt, std::nullopt}};
  task.definition.inputs = {Scalar("a", DType::kInt16),
                            Tensor("n", {"N"}, DType::kInt64)};
  task.definition.outputs = {Tensor("y", {"N", "K"}),
                             Tensor("s", {}, DType::kInt32)};
  task.root = MakeSolution("go", "// root\n");
  return task;
}

std::vector<std::string> Names(const Task& task) {
  std::vector<std::string> names;
  const auto nulls = NullCandidates(task).value();
  for (const NullCandidate& null : nulls) {
    names.push_back(null.name);
  }
  return names;
}

std::string Source(const Task& task, const std::string& name) {
  const auto nulls = NullCandidates(task).value();
  for (const NullCandidate& null : nulls) {
    if (null.name == name) return null.source;
  }
  return "none";
}

TEST(CpuNullCandidatesTest, ATaskOfFloatsHasThemAll) {
  EXPECT_THAT(
      Names(RowSumTask()),
      ElementsAre("zeros", "ones", "nothing written", "copy of the first input",
                  "the mean of the right output", "the previous output",
                  "the first half twice", "all but the last element",
                  "rounded to bfloat16"));
}

// What is no float32 is not rounded.
TEST(CpuNullCandidatesTest, OnlyFloatsHaveFewerBits) {
  EXPECT_THAT(Names(OddTask()), Not(testing::Contains("rounded to bfloat16")));
  EXPECT_THAT(Names(OddTask()), testing::SizeIs(8));
  Task half = RowSumTask();
  half.definition.outputs[0].dtype = DType::kFloat16;
  EXPECT_THAT(Names(half), Not(testing::Contains("rounded to bfloat16")));
}

TEST(CpuNullCandidatesTest, DoublesAreRoundedToHalfOfTheirBits) {
  Task task = RowSumTask();
  task.definition.outputs[0].dtype = DType::kFloat64;
  EXPECT_THAT(Names(task), testing::Contains("rounded to float32"));
  EXPECT_THAT(Names(task), Not(testing::Contains("rounded to bfloat16")));
}

// One number is its own mean, and its own first half.
TEST(CpuNullCandidatesTest, SomeAreRightWhereTheOutputIsOneNumber) {
  const auto nulls = NullCandidates(RowSumTask()).value();
  for (const NullCandidate& null : nulls) {
    const bool is_excused = null.name == "the mean of the right output" ||
                            null.name == "the first half twice";
    EXPECT_EQ(null.least_elements, is_excused ? 2u : 1u) << null.name;
  }
}

TEST(CpuNullCandidatesTest, WithoutInputsNothingIsCopied) {
  Task task = OddTask();
  task.definition.inputs.clear();
  EXPECT_THAT(Names(task), Not(testing::Contains("copy of the first input")));
}

TEST(CpuNullCandidatesTest, EveryOutputGetsTheValue) {
  EXPECT_EQ(Source(OddTask(), "ones"), R"(#include <cstdint>

extern "C" void run(int16_t a, const int64_t* n, float* y, int32_t* s, int64_t N) {
  for (int64_t i_ = 0; i_ < int64_t(1) * int64_t(N) * int64_t(7); ++i_) {
    y[i_] = static_cast<float>(1);
  }
  for (int64_t i_ = 0; i_ < int64_t(1); ++i_) {
    s[i_] = static_cast<int32_t>(1);
  }
}
)");
  EXPECT_EQ(Source(OddTask(), "nothing written"), R"(#include <cstdint>

extern "C" void run(int16_t a, const int64_t* n, float* y, int32_t* s, int64_t N) {
}
)");
}

TEST(CpuNullCandidatesTest, AScalarIsCopiedAsItIs) {
  EXPECT_THAT(Source(OddTask(), "copy of the first input"),
              HasSubstr("y[i_] = static_cast<float>(a);"));
}

// The root is called by the name that it has, and nothing of it is left.
TEST(CpuNullCandidatesTest, SpoiledOnesCallTheRoot) {
  const std::string source = Source(OddTask(), "the previous output");
  EXPECT_THAT(source, HasSubstr("#define go right_\n// root\n\n#undef go\n"));
  EXPECT_THAT(source, HasSubstr("right_(a, n, y, s, N);"));
  EXPECT_THAT(source, HasSubstr("using T_ = float;"));
  EXPECT_THAT(source, HasSubstr("using T_ = int32_t;"));
  EXPECT_THAT(source, HasSubstr("static std::vector<T_> previous_(n_);"));
}

TEST(CpuNullCandidatesTest, WhatIsNoKernelsIsRefused) {
  Task cuda = OddTask();
  cuda.root.language = Language::kCuda;
  EXPECT_EQ(NullCandidates(cuda).error().code, Errc::kUnavailable);
  for (const bool is_input : {false, true}) {
    Task task = OddTask();
    auto& tensors = is_input ? task.definition.inputs : task.definition.outputs;
    tensors[1].dtype = DType::kFloat8E4M3FN;
    const auto nulls = NullCandidates(task);
    ASSERT_FALSE(nulls);
    EXPECT_EQ(nulls.error().code, Errc::kUsage);
    EXPECT_EQ(nulls.error().what,
              std::string("odd: tensor ") + (is_input ? "n" : "s") +
                  ": its dtype is not one that CPU kernels take");
  }
}

}  // namespace
}  // namespace coppice::eval::cpu
