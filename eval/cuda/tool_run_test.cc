#include "eval/cuda/tool_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "eval/cuda/preparation.h"
#include "eval/cuda/runner_fixture.h"
#include "eval/judge/evaluator.h"

namespace coppice::eval::cuda {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

// Tools say what the code that they watch has them say.
class CudaToolRunTest : public RunnerFixture {
 protected:
  CudaToolRunTest() {
    const fs::path tool = Write(kTool, "");
    fs::copy_file(COPPICE_FAKE_CUDA_RUNNER, tool,
                  fs::copy_options::overwrite_existing);
    Write("toolkit/compute-sanitizer/libsanitizer-public.so", "");
  }

  Prepared Code(const std::string& script) {
    Prepared prepared;
    prepared.assignments.assign(2, Program(script));
    return prepared;
  }

  std::unique_ptr<ToolRun> Make(const Prepared& root) {
    auto made = ToolRun::Make(
        {.runner = Options(), .toolkit = folder_ / "toolkit", .seed = 1}, task_,
        root);
    EXPECT_TRUE(made) << made.error().what;
    return std::move(*made);
  }

  Outcome Examined(ToolRun& tool_run, const std::string& script) {
    const auto outcome = tool_run.Examine(Code(script));
    EXPECT_TRUE(outcome) << outcome.error().what;
    return *outcome;
  }

  static constexpr char kTool[] = "toolkit/compute-sanitizer/compute-sanitizer";
  Task task_ = CudaScaleTask();
};

TEST_F(CudaToolRunTest, WhoFindsNothingIsNamed) {
  const auto tool_run = Make(Code(""));
  EXPECT_EQ(tool_run->workload(), 0u);
  const Outcome outcome = Examined(*tool_run, "");
  EXPECT_EQ(outcome.verdict, Verdict::kPassed);
  EXPECT_EQ(outcome.log,
            "memcheck, racecheck, initcheck, synccheck find nothing\n");
}

TEST_F(CudaToolRunTest, TheSmallestWorkloadIsLookedAt) {
  std::swap(task_.workloads[0], task_.workloads[1]);
  EXPECT_EQ(Make(Code(""))->workload(), 1u);
}

TEST_F(CudaToolRunTest, WhatIsFoundCountsWhereTheRootIsClean) {
  const auto tool_run = Make(Code(""));
  Outcome outcome = Examined(*tool_run, "memcheck status=86 say=Invalid_read");
  EXPECT_EQ(outcome.verdict, Verdict::kCrashed);
  EXPECT_EQ(outcome.log, "memcheck: Invalid read\n");
  outcome = Examined(*tool_run, "racecheck status=86 say=a_Race_at_4");
  EXPECT_EQ(outcome.verdict, Verdict::kRejected);
  EXPECT_EQ(outcome.breach, Breach::kHazard);
}

// It is asked about the root once, and then about nothing.
TEST_F(CudaToolRunTest, AToolThatFindsTheRootGuiltyIsOfNoUse) {
  const std::string found = "racecheck status=86 say=a_Race";
  const auto tool_run = Make(Code(found));
  const std::string log =
      "memcheck, initcheck, synccheck find nothing\n"
      "not looked at by racecheck, which is of no use on the root: a Race\n\n";
  for (int i = 0; i < 2; ++i) {
    const Outcome outcome = Examined(*tool_run, found);
    EXPECT_EQ(outcome.verdict, Verdict::kPassed);
    EXPECT_EQ(outcome.log, log);
  }
  // Others go on.
  EXPECT_EQ(Examined(*tool_run, "memcheck status=86").verdict,
            Verdict::kCrashed);
}

TEST_F(CudaToolRunTest, AToolThatCannotTellLeavesItOpen) {
  const auto tool_run = Make(Code(""));
  const Outcome outcome = Examined(*tool_run, "synccheck status=1");
  EXPECT_EQ(outcome.verdict, Verdict::kInconclusive);
  EXPECT_THAT(outcome.log, HasSubstr("synccheck: exit status 1; "));
  EXPECT_THAT(outcome.log, Not(HasSubstr("find nothing")));
}

TEST_F(CudaToolRunTest, WithoutToolsThatIsSaidAndNothingElse) {
  const std::string path = std::getenv("PATH");
  fs::remove(folder_ / kTool);
  setenv("PATH", "", 1);
  const auto tool_run = Make(Code(""));
  setenv("PATH", path.c_str(), 1);
  const Outcome outcome = Examined(*tool_run, "memcheck status=86");
  EXPECT_EQ(outcome.verdict, Verdict::kPassed);
  EXPECT_EQ(outcome.log, std::string(kNotSanitized) +
                             "compute-sanitizer is not found; it comes with "
                             "the CUDA toolkit\n");
}

}  // namespace
}  // namespace coppice::eval::cuda
