#include "eval/cuda/kernel_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "eval/cuda/runner_fixture.h"

namespace coppice::eval::cuda {
namespace {

using testing::HasSubstr;

class KernelProcessTest : public RunnerFixture {
 protected:
  // One call after the other on set 0 with what a script says.
  KernelCall Go(KernelProcess& kernel_process,
                const CallSurroundings& surroundings = {}) {
    const auto call = kernel_process.Go(0, surroundings, 10.0);
    EXPECT_TRUE(call) << call.error().what;
    return *call;
  }

  std::shared_ptr<RunnerProcess> process_ = Started();
};

// 1500 cycles in 1000 ns are 1.5 GHz.
TEST_F(KernelProcessTest, ASampleBecomesSecondsAndAClock) {
  auto opened =
      OpenKernel(process_,
                 "go event=10000000 after=2000000 whole=15000000 ns=1000 "
                 "cycles=1500");
  ASSERT_TRUE(opened) << opened.error().what;
  const KernelCall call = Go(*opened);
  EXPECT_EQ(call.verdict, Verdict::kPassed);
  EXPECT_DOUBLE_EQ(call.event_s, 10e-6);
  EXPECT_DOUBLE_EQ(call.after_s, 2e-6);
  EXPECT_DOUBLE_EQ(call.whole_s, 15e-6);
  EXPECT_DOUBLE_EQ(call.clock_hz, 1.5e9);
  EXPECT_GT(call.wall_s, 0.0);
  EXPECT_FALSE(call.held_too_long);
}

TEST_F(KernelProcessTest, AClockThatStoodStillIsNotTold) {
  auto opened = OpenKernel(process_, "go event=1 ns=0 cycles=1500");
  ASSERT_TRUE(opened);
  EXPECT_EQ(Go(*opened).clock_hz, 0.0);
}

TEST_F(KernelProcessTest, DeviceCodeIsHeldUntilAHoldHasLetGoByItself) {
  auto opened = OpenKernel(process_, "go#2 held_too_long");
  ASSERT_TRUE(opened);
  EXPECT_TRUE(opened->holds());
  EXPECT_FALSE(Go(*opened).held_too_long);
  EXPECT_TRUE(Go(*opened).held_too_long);
  EXPECT_FALSE(opened->holds());
  Go(*opened);
  EXPECT_EQ(process_->Output(),
            "open 0 0 0\ngo 0 0 0 held\ngo 0 0 0 held\ngo 0 0 0\n");
}

// A library may wait for the device at its first call.
TEST_F(KernelProcessTest, HostCodeIsWokenAndNotHeldAtItsFirstCall) {
  auto opened = OpenKernel(process_, "", Part::kSharedObject);
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->part(), Part::kSharedObject);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(opened->Wake(10.0)->verdict, Verdict::kPassed);
    Go(*opened);
  }
  EXPECT_EQ(process_->Output(),
            "open 0 0 0\nwake 0 0 0\ngo 0 0 0\nwake 0 0 0\ngo 0 0 0 held\n");
}

TEST_F(KernelProcessTest, DeviceCodeIsWokenOnlyWhenItIsGuarded) {
  auto opened = OpenKernel(process_, "");
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->Wake(10.0)->verdict, Verdict::kPassed);
  opened->Guard(true);
  EXPECT_EQ(opened->Wake(10.0)->verdict, Verdict::kPassed);
  EXPECT_EQ(process_->Output(), "open 0 0 0\nwake 0 0 0\n");
}

TEST_F(KernelProcessTest, ACallMeetsItsScalarsAndTheScratchOfItsSurroundings) {
  auto opened = OpenKernel(process_, "go tell\ngo_all tell");
  ASSERT_TRUE(opened);
  CallSurroundings surroundings{.cells = {7, 8}, .scratch_pattern = 99};
  Go(*opened, surroundings);
  surroundings.cells[1] = 9;
  ASSERT_TRUE(opened->GoAll(2, surroundings, 10.0));
  EXPECT_EQ(process_->Output(),
            "open 0 0 0\n"
            "go 0 0 0 held cells=7,8 scratch=99\n"
            "go_all 0 2 0 cells=7,9 scratch=99\n");
}

TEST_F(KernelProcessTest, AnInventoryIsOfACallThatIsNoSample) {
  auto opened = OpenKernel(process_, "go kernel=scale calls=2 total=900");
  ASSERT_TRUE(opened);
  const auto answer = opened->TakeInventory(1, {}, 10.0);
  ASSERT_TRUE(answer);
  const KernelInventory& inventory = answer->reply.inventory;
  EXPECT_EQ(inventory.kernels, 1u);
  EXPECT_STREQ(inventory.kernel[0].name.data(), "scale");
  EXPECT_EQ(inventory.kernel[0].total_ns, 900u);
  EXPECT_THAT(process_->Output(), HasSubstr("go 0 1 0 held inventory\n"));
}

TEST_F(KernelProcessTest, ACallThatFailsHasNoTimes) {
  auto opened = OpenKernel(process_, "go event=10 fail=719");
  ASSERT_TRUE(opened);
  const KernelCall call = Go(*opened);
  EXPECT_EQ(call.verdict, Verdict::kCrashed);
  EXPECT_EQ(call.event_s, 0.0);
}

TEST_F(KernelProcessTest, WhatCannotBeLoadedHasTheVerdict) {
  const auto opened = OpenKernel(process_, "open refuse=no_kernel_scale");
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->opened().verdict, Verdict::kCompileFailed);
  EXPECT_EQ(opened->opened().log, "no kernel scale");
}

TEST_F(KernelProcessTest, CodeThatIsNotThereIsOurFailure) {
  RunnerProgram absent;
  absent.code = folder_ / "absent";
  const auto opened =
      KernelProcess::Open(process_, 0, absent, FourToFour(), 2, {}, 10.0);
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().what, HasSubstr("absent"));
}

// The second workload of a process is asked for by its number.
TEST_F(KernelProcessTest, WorkloadsOfAProcessAreToldApartByNumber) {
  auto first = OpenKernel(process_, "go event=1000000");
  ASSERT_TRUE(first);
  auto second = KernelProcess::Open(process_, 1, Program("go event=2000000"),
                                    FourToFour(), 2, {}, 10.0);
  ASSERT_TRUE(second);
  EXPECT_DOUBLE_EQ(Go(*first).event_s, 1e-6);
  EXPECT_DOUBLE_EQ(Go(*second).event_s, 2e-6);
  EXPECT_THAT(process_->Output(), HasSubstr("go 1 0 0 held\n"));
}

}  // namespace
}  // namespace coppice::eval::cuda
