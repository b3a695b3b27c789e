#include "eval/machine.h"

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

}  // namespace
}  // namespace coppice::eval
