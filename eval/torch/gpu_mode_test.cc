#include "eval/torch/gpu_mode.h"

#include <gtest/gtest.h>

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

// Its own lines keep their numbers, and of the reference it has the files.
TEST(GpuModeTest, ACandidateIsFollowedByTheFiles) {
  EXPECT_EQ(GpuModeModuleSource(GpuModeReference(Problem()), "x = 2"),
            std::string("x = 2\n\n") + kLine +
                "\nfrom gpu_mode import module_of as _module_of\n\n"
                "ModelNew = _module_of(globals())\n");
}

// A reference may have such a line of its own, and a candidate, too: the last
// one counts, which is ours.
TEST(GpuModeTest, NobodyElsesLineIsTakenForOurs) {
  GpuModeProblem problem = Problem();
  problem.reference = "R = 1\n_GPU_MODE = \"theirs\"\nS = 2";
  const std::string reference = GpuModeReference(problem);
  const std::string module =
      GpuModeModuleSource(reference, "\n_GPU_MODE = \"forged\"\n");
  EXPECT_EQ(module.find("theirs"), std::string::npos);
  EXPECT_LT(module.find("forged"), module.find(kLine));
  EXPECT_EQ(module.rfind("_GPU_MODE = "), module.find(kLine));
}

TEST(GpuModeTest, AReferenceWithoutFilesGivesNone) {
  EXPECT_EQ(GpuModeModuleSource("R = 1", "x = 2"),
            "x = 2\n\nfrom gpu_mode import module_of as _module_of\n\n"
            "ModelNew = _module_of(globals())\n");
}

// In ASCII, and with U+FFFD for a byte that is no text.
TEST(GpuModeTest, FilesAreQuotedWhateverIsInThem) {
  GpuModeProblem problem = Problem();
  problem.modules = {{"a", "'\"\\\n"}, {"b", "\xff"}};
  const std::string reference = GpuModeReference(problem);
  const std::string line = reference.substr(reference.find("_GPU_MODE = "));
  EXPECT_EQ(line.find('\n'), line.size() - 1);  // One line of Python's.
  EXPECT_NE(line.find("\\\\ufffd"), std::string::npos);
  for (const char c : line) EXPECT_GE(c, 0);
}

}  // namespace
}  // namespace coppice::eval
