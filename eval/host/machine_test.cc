#include "eval/host/machine.h"

#include <gtest/gtest.h>

namespace coppice::eval {
namespace {

TEST(MeasurementLockTest, IsTakenWhileSomebodyHasIt) {
  const auto held = MeasurementLock::Acquire(nullptr);
  ASSERT_TRUE(held) << held.error().what;
  const auto taken = MeasurementLock::IsTaken();
  ASSERT_TRUE(taken) << taken.error().what;
  EXPECT_TRUE(*taken);
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

}  // namespace
}  // namespace coppice::eval
