#include "engine/process/clock.h"

#include <gtest/gtest.h>

#include "engine/process/system_timer.h"

namespace coppice::engine {
namespace {

TEST(SystemTimerTest, WaitsAtLeastAsLongAsAsked) {
  const SystemClock clock;
  SystemTimer timer(clock);
  const double start_s = timer.Monotonic();
  timer.Wait(0.02, nullptr);
  EXPECT_GE(timer.Monotonic() - start_s, 0.02);
  timer.Wait(-1, nullptr);
}

TEST(SystemTimerTest, OnceCancelledItDoesNotWait) {
  const SystemClock clock;
  SystemTimer timer(clock);
  const std::atomic<bool> cancel = true;
  timer.Wait(1e6, &cancel);  // Else the test times out.
}

}  // namespace
}  // namespace coppice::engine
