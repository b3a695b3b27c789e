#include "eval/host/machine.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "eval/host/affinity.h"

namespace coppice::eval {
namespace {

TEST(MeasurementLockTest, IsTakenWhileSomebodyHasIt) {
  const auto held = MeasurementLock::Acquire(nullptr);
  ASSERT_TRUE(held) << held.error().what;
  const auto taken = MeasurementLock::IsTaken();
  ASSERT_TRUE(taken) << taken.error().what;
  EXPECT_TRUE(*taken);
}

// Two jobs on a processor of their own measure side by side; whoever may use
// both waits for either.
TEST(MeasurementLockTest, OfOneProcessorLeavesTheOthersFree) {
  const std::vector<int> processors = ProcessorsOf(0);
  if (processors.size() < 2) GTEST_SKIP() << "skipped: one processor";
  // The first of all, for which whoever else measures here waits, too.
  const Seat seat(processors[0]);
  const auto held = MeasurementLock::Acquire(nullptr);
  ASSERT_TRUE(held) << held.error().what;
  EXPECT_TRUE(MeasurementLock::IsTaken().value());
  std::thread([&] {
    const Seat other(processors[1]);
    EXPECT_FALSE(MeasurementLock::IsTaken().value());
  }).join();
  std::thread([&] {
    cpu_set_t both;
    CPU_ZERO(&both);
    CPU_SET(static_cast<std::size_t>(processors[0]), &both);
    CPU_SET(static_cast<std::size_t>(processors[1]), &both);
    ASSERT_EQ(sched_setaffinity(0, sizeof both, &both), 0);
    EXPECT_TRUE(MeasurementLock::IsTaken().value());
  }).join();
}

TEST(MeasurementLockTest, KnowsWhenItWasUsedLast) {
  ASSERT_TRUE(MeasurementLock::NoteUse("GPU-test-used"));
  EXPECT_LT(MeasurementLock::SecondsSinceUse("GPU-test-used").value(), 60.0);
  EXPECT_FALSE(MeasurementLock::IsTaken("GPU-test-used").value());
}

TEST(MeasurementLockTest, OfOneDeviceLeavesTheOthersFree) {
  const auto held = MeasurementLock::Acquire(nullptr, "GPU-test-a");
  ASSERT_TRUE(held) << held.error().what;
  EXPECT_TRUE(MeasurementLock::IsTaken("GPU-test-a").value());
  EXPECT_FALSE(MeasurementLock::IsTaken("GPU-test-b").value());
}

TEST(MeasurementLockTest, WhoWaitsForItCanBeCancelled) {
  const std::atomic<bool> cancelled = true;
  {
    const auto held = MeasurementLock::Acquire(&cancelled, "GPU-test-c");
    ASSERT_TRUE(held);  // It was free: nobody waited.
    const auto second = MeasurementLock::Acquire(&cancelled, "GPU-test-c");
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, Errc::kCancelled);
  }
  EXPECT_TRUE(MeasurementLock::Acquire(&cancelled, "GPU-test-c"));
}

// An hour and a half ago; then now.
TEST(MeasurementLockTest, SecondsAreThoseSinceItsLastUse) {
  ASSERT_TRUE(MeasurementLock::NoteUse("GPU-test-d"));
  const std::filesystem::path file =
      "/tmp/coppice-" + std::to_string(getuid()) + "/GPU-test-d.lock";
  std::filesystem::last_write_time(
      file,
      std::filesystem::file_time_type::clock::now() - std::chrono::minutes(90));
  EXPECT_NEAR(MeasurementLock::SecondsSinceUse("GPU-test-d").value(), 5400.0,
              300.0);
  ASSERT_TRUE(MeasurementLock::NoteUse("GPU-test-d"));
  EXPECT_LT(MeasurementLock::SecondsSinceUse("GPU-test-d").value(), 300.0);
}

TEST(MachineTest, TellsWhatItIs) {
  EXPECT_TRUE(SystemName().starts_with("Linux ")) << SystemName();
  EXPECT_FALSE(ProcessorName().empty());
  EXPECT_TRUE(ProcessorIdentity().starts_with(ProcessorName() + " family "));
  EXPECT_GT(MemoryBytes(), std::uint64_t{256} << 20);
  // "2.36".
  EXPECT_EQ(LibraryVersion().find_first_not_of("0123456789."),
            std::string::npos);
}

// Between a slow one and what no processor reaches; where they are told.
TEST(MachineTest, ClockAndTemperatureHaveTheirUnits) {
  const double clock_mhz = ProcessorClockMhz().value_or(1000.0);
  EXPECT_TRUE(100.0 < clock_mhz && clock_mhz < 10'000.0) << clock_mhz;
  const double celsius = ProcessorTemperatureC().value_or(40.0);
  EXPECT_TRUE(-40.0 < celsius && celsius < 130.0) << celsius;
}

}  // namespace
}  // namespace coppice::eval
