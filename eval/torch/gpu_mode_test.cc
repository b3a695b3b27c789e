#include "eval/torch/gpu_mode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "eval/torch/cases.h"
#include "eval/torch/closeness.h"

namespace coppice::eval {
namespace {

// An e with an accent is two bytes, and one escape in JSON, quoted again.
GpuModeProblem Problem() {
  return {.description = "",
          .reference = "R = 1",
          .modules = {{"utils", "u = \"\xc3\xa9\""}},
          .benchmarks = {"size=8"},
          .tests = {"size=2"},
          .arguments = R"({"benchmarks":[{"size":8}],"tests":[{"size":2}]})"};
}

constexpr const char* kLine =
    "_GPU_MODE = \"{\\\"cases\\\":[{\\\"name\\\":\\\"test size=2\\\","
    "\\\"arguments\\\":{\\\"size\\\":2},\\\"is_timed\\\":false},"
    "{\\\"name\\\":\\\"benchmark size=8\\\","
    "\\\"arguments\\\":{\\\"size\\\":8},\\\"is_timed\\\":true}],"
    "\\\"modules\\\":{\\\"utils\\\":\\\"u = "
    "\\\\\\\"\\\\u00e9\\\\\\\"\\\"}}\"\n";

TEST(GpuModeTest, AReferenceHasItsCasesAndFilesBelowItself) {
  EXPECT_EQ(GpuModeReference(Problem()), std::string("R = 1\n\n") + kLine);
}

TEST(GpuModeTest, AProblemIsOfAllItsCases) {
  EXPECT_EQ(GpuModeProblemSource("R\n"),
            "R\n\n"
            "from gpu_mode import problem_of as _problem_of\n\n"
            "KEEPS_TYPES = True\n"
            "Model, get_inputs, get_init_inputs, CLOSENESS, SELECT_CASE, WHERE "
            "= (\n"
            "    _problem_of(globals(), _GPU_MODE)\n)\n");
}

// By the numbers that its process knows them by.
TEST(CasesTest, TestsComeBeforeBenchmarks) {
  Task task;
  task.workloads = {{.uuid = "size=8", .axes = {}, .inputs = {}},
                    {.uuid = "size=9", .axes = {}, .inputs = {}}};
  task.definition.tags = {"rtol:0.1", "test:size=2"};
  ASSERT_EQ(torch::CasesOf(task).size(), 1U);  // Of any other format.
  task.format = TaskFormat::kGpuMode;
  const auto cases = torch::CasesOf(task);
  ASSERT_EQ(cases.size(), 3U);
  EXPECT_EQ(cases[0].workload, "test size=2");
  EXPECT_FALSE(cases[0].is_timed);
  EXPECT_EQ(cases[2].workload, "size=9");
  EXPECT_TRUE(cases[2].is_timed);
}

// Its own lines keep their numbers, and of the reference it has the files.
TEST(GpuModeTest, ACandidateIsFollowedByTheFiles) {
  EXPECT_EQ(GpuModeModuleSource(GpuModeReference(Problem()), "x = 2"),
            std::string("x = 2\n\n") + kLine +
                "\nfrom gpu_mode import module_of as _module_of\n\n"
                "ModelNew = _module_of(globals())\n");
}

TEST(ClosenessTest, ADefinitionKeepsIt) {
  Definition definition;
  EXPECT_FALSE(torch::ClosenessOf(definition));
  torch::AddCloseness({.relative = 0.01, .absolute = 1e-8}, definition);
  EXPECT_THAT(definition.tags, testing::ElementsAre("rtol:0.01", "atol:1e-08"));
  EXPECT_EQ(torch::ClosenessOf(definition)->relative, 0.01);
  EXPECT_EQ(torch::ClosenessOf(definition)->absolute, 1e-8);
}

}  // namespace
}  // namespace coppice::eval
