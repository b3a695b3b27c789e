#include "eval/cuda/tracing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "eval/cuda/profiling.h"
#include "eval/cuda/runner_fixture.h"

namespace coppice::eval::cuda {
namespace {

namespace fs = std::filesystem;

class FindCuptiTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "cupti-XXXXXX";
    toolkit_ = fs::canonical(mkdtemp(name.data()));
  }
  void TearDown() override { fs::remove_all(toolkit_); }
  void Install(const fs::path& file) {
    fs::create_directories((toolkit_ / file).parent_path());
    std::ofstream(toolkit_ / file) << "x";
  }

  fs::path toolkit_;
};

TEST_F(FindCuptiTest, ItsOwnFolderCountsBeforeOthersAndTheLaterVersionFirst) {
  EXPECT_EQ(FindCupti(toolkit_), fs::path());
  Install("lib/libcupti.so.12");
  EXPECT_EQ(FindCupti(toolkit_), toolkit_ / "lib/libcupti.so.12");
  Install("lib64/libcupti.so.12");
  EXPECT_EQ(FindCupti(toolkit_), toolkit_ / "lib64/libcupti.so.12");
  Install("lib64/libcupti.so.13");
  EXPECT_EQ(FindCupti(toolkit_), toolkit_ / "lib64/libcupti.so.13");
  Install("extras/CUPTI/lib64/libcupti.so.12");
  EXPECT_EQ(FindCupti(toolkit_),
            toolkit_ / "extras/CUPTI/lib64/libcupti.so.12");
}

// The sandbox shows the file itself, and no link to it.
TEST_F(FindCuptiTest, ALinkIsFollowedToItsFile) {
  Install("lib64/libcupti.so.2025.3.1");
  fs::create_symlink("libcupti.so.2025.3.1", toolkit_ / "lib64/libcupti.so.13");
  EXPECT_EQ(FindCupti(toolkit_), toolkit_ / "lib64/libcupti.so.2025.3.1");
}

TEST_F(FindCuptiTest, ALinkToNothingAndAnOtherVersionAreNone) {
  fs::create_directories(toolkit_ / "lib64");
  fs::create_symlink("gone", toolkit_ / "lib64/libcupti.so.13");
  Install("lib64/libcupti.so.11.8");
  EXPECT_EQ(FindCupti(toolkit_), fs::path());
}

class CudaTraceTest : public CudaBenchFixture {
 protected:
  // Traces a candidate with this script, in a process that starts by the other.
  Traced TraceOf(const std::string& script, const std::string& start = "") {
    std::vector<std::unique_ptr<CudaBench>> benches;
    benches.push_back(Opened());
    RunnerOptions options = Options(start);
    options.profiler = Write("libcupti.so.13", "");
    const auto traced = Trace(options, benches, {Program(script)}, 10.0);
    EXPECT_TRUE(traced) << traced.error().what;
    return *traced;
  }
};

// The first call loads what is loaded late.
TEST_F(CudaTraceTest, TheSecondOfTwoCallsIsTraced) {
  const Traced traced =
      TraceOf("go#1 kernel=early\ngo#2 kernel=scale calls=1 total=800");
  EXPECT_EQ(traced.note, "");
  ASSERT_EQ(traced.inventories.size(), 1u);
  EXPECT_STREQ(traced.inventories[0].kernel[0].name.data(), "scale");
  EXPECT_EQ(traced.inventories[0].kernel[0].total_ns, 800u);
}

TEST_F(CudaTraceTest, WhyThereIsNoTraceIsNoted) {
  const struct {
    const char* script;
    const char* start;
    const char* note;
    bool has_failed;
  } cases[] = {
      {"go cupti=15", "", "CUPTI does not work here (error 15).", false},
      {"", "hello refuse=no_CUPTI",
       "CUPTI does not work here: coppice-cuda-runner: did not start: no "
       "CUPTI.",
       false},
      {"open refuse=no_kernel", "", "Under CUPTI it fails: no kernel.", true},
      {"go#2 die=5", "",
       "Under CUPTI it fails: it ended the process with exit status 5 before "
       "its call returned.",
       true},
  };
  for (const auto& [script, start, note, has_failed] : cases) {
    const Traced traced = TraceOf(script, start);
    EXPECT_EQ(traced.note, note);
    EXPECT_EQ(traced.has_failed, has_failed) << note;
    EXPECT_TRUE(traced.inventories.empty());
  }
}

TEST_F(CudaTraceTest, WithoutAProfilerNothingIsStarted) {
  RunnerOptions options = Options();
  options.runner = "/nowhere";
  const auto traced = Trace(options, {}, {}, 10.0);
  ASSERT_TRUE(traced);
  EXPECT_EQ(traced->note,
            "CUPTI, which would time each kernel, is not installed.");
}

}  // namespace
}  // namespace coppice::eval::cuda
