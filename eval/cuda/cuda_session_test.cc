#include "eval/cuda/cuda_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "eval/cuda/host_clock.h"
#include "eval/cuda/loaded_task.h"
#include "eval/cuda/runner_fixture.h"
#include "eval/cuda/runner_pool.h"
#include "eval/cuda/tool_run.h"
#include "eval/host/nvml.h"
#include "eval/host/timing_stability.h"
#include "eval/judge/evaluation_session.h"
#include "store/records/tier.h"

namespace coppice::eval::cuda {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Sessions on one workload, whose root takes 0.1 us: events may tell of less
// than our clock alone.  x, a and y are 8,004 bytes, which this device copies
// in 0.1 us.
class CudaSessionTest : public CudaBenchFixture {
 protected:
  CudaSessionTest() {
    task_.workloads.resize(1);
    device_.uuid = "coppice-session-test";
    abilities_.copy_bytes_per_s = 80'040'000'000;
    abilities_.memory_bytes = std::uint64_t{1} << 36;
  }

  // Scripts are of candidate, oracle and root.
  EvaluationSession Session(const std::string& candidate,
                            const std::string& oracle = "",
                            const std::string& root = "go event=100000",
                            Part part = Part::kDeviceCode) {
    LoadedTask loaded_task;
    loaded_task.task = task_;
    CudaBenchOptions options = OptionsOf(oracle, root);
    loaded_task.root.assignments = {options.root};
    loaded_task.oracle.assignments = {Program("")};  // Of a clock.
    options.adversarial =
        AdversarialInputs::Make(task_, task_.workloads[0], 3).value();
    auto bench = Open(std::move(options));
    EXPECT_TRUE(bench) << bench.error().what;
    loaded_task.benches.push_back(std::move(*bench));
    loaded_task.runners = trusted_;
    Prepared prepared;
    prepared.assignments = {Program(candidate, part)};
    prepared.assignments.front().launches.resize(launches_);
    auto session = RunSession({.loaded_task = loaded_task,
                               .runners = pool_,
                               .inputs = inputs_,
                               .abilities = abilities_,
                               .device = device_,
                               .temperature_c = [] { return 61.5; },
                               .stability = stability_,
                               .call_timeout_s = 10.0,
                               .cancelled = nullptr},
                              prepared, depth_);
    EXPECT_TRUE(session) << session.error().what;
    return std::move(*session);
  }

  DeviceIdentity device_;
  Abilities abilities_{};
  RunnerPool pool_{Options()};
  InputSource inputs_{.seed = 5};
  TimingStability stability_{MachineLoad({})};
  // Two plain calls and one kind before three rounds at most.
  CudaDepth depth_{2, 1, TimingBudget{3, 3, 1.0, 1.0, 0.0}, true};
  std::size_t launches_ = 1;
};

TEST_F(CudaSessionTest, WhatPassesIsTimedBesideItsRootAndHeldAgainstTheDevice) {
  const EvaluationSession session = Session("go event=200000");
  ASSERT_EQ(session.verdict, Verdict::kPassed) << session.log;
  ASSERT_EQ(session.workloads.size(), 1u);
  const WorkloadResult& result = session.workloads[0];
  EXPECT_EQ(result.workload, "short");
  ASSERT_EQ(result.samples_s.size(), 3u);
  for (const double sample : result.samples_s) EXPECT_DOUBLE_EQ(sample, 200e-9);
  for (const double sample : result.root_samples_s) {
    EXPECT_DOUBLE_EQ(sample, 100e-9);
  }
  EXPECT_DOUBLE_EQ(result.floor_s.value_or(0.0), 100e-9);
  EXPECT_EQ(result.temperature_c, 61.5);
  EXPECT_THAT(session.log, HasSubstr("50 % of the copy bandwidth"));
}

TEST_F(CudaSessionTest, WhoIsOnlyCheckedHasNoSamples) {
  depth_.timing.reset();
  const EvaluationSession session = Session("go event=200000");
  EXPECT_EQ(session.verdict, Verdict::kPassed);
  EXPECT_TRUE(session.workloads[0].samples_s.empty());
  EXPECT_EQ(session.timing_s, 0.0);
}

// A tenth less than the device can is borne.
TEST_F(CudaSessionTest, ATimeBelowWhatTheDeviceMovesInCannotBeTold) {
  EXPECT_EQ(Session("go event=91000").verdict, Verdict::kPassed);
  const EvaluationSession session = Session("go event=89000");
  EXPECT_EQ(session.verdict, Verdict::kInconclusive);
  EXPECT_THAT(session.log,
              HasSubstr("0.089 us a call is less than the 0.1 us in which this "
                        "device can move its inputs and outputs"));
}

// 2,000,000 operations at 10^13 a second take 0.2 us.
TEST_F(CudaSessionTest, ATimeBelowWhatTheDeviceComputesInIsRejected) {
  task_.definition.tags = {"flops:2000*N"};
  abilities_.fma_flops = 10'000'000'000'000;
  EXPECT_EQ(Session("go event=190000").verdict, Verdict::kPassed);
  const EvaluationSession session = Session("go event=170000");
  EXPECT_EQ(session.verdict, Verdict::kRejected);
  EXPECT_EQ(session.breach, Breach::kTooFast);
  EXPECT_THAT(session.log, HasSubstr("can do its 2e+06 operations"));
}

// The bench makes 13 calls before anybody is there.
TEST_F(CudaSessionTest, WhereTheRootIsSlowSomethingElseUsesTheDevice) {
  const EvaluationSession session =
      Session("go event=200000", "", "go event=100000\ngo#14- event=160000");
  EXPECT_EQ(session.verdict, Verdict::kInconclusive);
  EXPECT_THAT(session.log, HasSubstr("something else uses the device"));
}

TEST_F(CudaSessionTest, TheFirstWorkloadThatItFailsOnIsTheLast) {
  const EvaluationSession session = Session("go#2 fail=700 stage=3");
  EXPECT_EQ(session.verdict, Verdict::kCrashed);
  EXPECT_THAT(session.log, StartsWith("workload short (N=1000): "));
  EXPECT_THAT(session.log, HasSubstr("accessed memory out of bounds"));
  EXPECT_EQ(session.workloads[0].verdict, Verdict::kCrashed);
  EXPECT_TRUE(session.workloads[0].samples_s.empty());
}

// Twice as fast as the root, and wrong: the bench asks for two judgements.
TEST_F(CudaSessionTest, WhatComputesWrongIsTimedForAHintAlone) {
  const EvaluationSession session =
      Session("go event=50000", "judge#3- wrong=1 got=1");
  EXPECT_EQ(session.verdict, Verdict::kWrongOutput);
  ASSERT_TRUE(session.hint);
  EXPECT_NEAR(session.hint->factor, 2.0, 1e-9);
  depth_.hints = false;
  EXPECT_FALSE(Session("go event=50000", "judge#3- wrong=1 got=1").hint);
}

TEST_F(CudaSessionTest, LaunchesAreToldApartWhereThereAreSeveral) {
  const std::string script = "go event=200000 kernel=scale calls=2 total=9000";
  const EvaluationSession one = Session(script);
  EXPECT_FALSE(one.workloads[0].profile);
  launches_ = 2;
  const EvaluationSession two = Session(script);
  ASSERT_TRUE(two.workloads[0].profile);
  ASSERT_EQ(two.workloads[0].profile->kernels.size(), 1u);
  EXPECT_EQ(two.workloads[0].profile->kernels[0].name, "scale");
}

// A call of another process takes tens of microseconds by our clock at the
// least, of which its events tell a millionth.
TEST_F(CudaSessionTest, HostCodeCountsByTheWallClockWhereItsEventsTellLess) {
  abilities_.copy_bytes_per_s = std::uint64_t{1} << 60;
  const EvaluationSession session =
      Session("go event=1", "", "go event=1", Part::kSharedObject);
  ASSERT_EQ(session.verdict, Verdict::kPassed) << session.log;
  EXPECT_THAT(session.log, HasSubstr(" us by the wall clock"));
}

TEST_F(CudaSessionTest, WhatAnExpertCallsIsNotTimedByTheWallClock) {
  const EvaluationSession session = Session("go event=200000");
  EXPECT_THAT(session.log, Not(HasSubstr("wall clock")));
}

// Two kinds beside plain ones, or all that there are.
TEST(CudaDepthTest, FastIsShortAndFullIsThorough) {
  const CudaDepth fast = DepthFor(Tier::kFast);
  const CudaDepth full = DepthFor(Tier::kFull);
  EXPECT_LT(fast.plain, full.plain);
  EXPECT_EQ(fast.adversarial, 2u);
  EXPECT_GT(full.adversarial, 1000u);
  EXPECT_TRUE(fast.hints);
  EXPECT_FALSE(full.hints);
  ASSERT_TRUE(fast.timing && full.timing);
  EXPECT_LT(fast.timing->max_rounds, full.timing->max_rounds);
}

}  // namespace
}  // namespace coppice::eval::cuda
