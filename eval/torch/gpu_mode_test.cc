#include "eval/torch/gpu_mode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "eval/torch/closeness.h"

namespace coppice::eval {
namespace {

// An e with an accent is two bytes, and one escape in JSON, quoted again.
GpuModeProblem Problem() {
  return {.description = "",
          .reference = "R = 1",
          .modules = {{"utils", "u = \"\xc3\xa9\""}},
          .benchmarks = {"size=8"},
          .tests = {},
          .arguments = R"({"benchmarks":[{"size":8}],"tests":[]})"};
}

constexpr const char* kLine =
    "_GPU_MODE = \"{\\\"benchmarks\\\":[{\\\"size\\\":8}],\\\"tests\\\":[],"
    "\\\"modules\\\":{\\\"utils\\\":\\\"u = "
    "\\\\\\\"\\\\u00e9\\\\\\\"\\\"}}\"\n";

TEST(GpuModeTest, AReferenceHasItsFilesBelowItself) {
  EXPECT_EQ(GpuModeReference(Problem()), std::string("R = 1\n\n") + kLine);
}

TEST(GpuModeTest, AProblemIsOfOneOfItsCases) {
  EXPECT_EQ(GpuModeProblemSource("R\n", "tests", 3),
            "R\n\n"
            "from gpu_mode import problem_of as _problem_of\n\n"
            "KEEPS_TYPES = True\n"
            "Model, get_inputs, get_init_inputs, CLOSENESS = _problem_of(\n"
            "    globals(), _GPU_MODE, \"tests\", 3)\n");
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
