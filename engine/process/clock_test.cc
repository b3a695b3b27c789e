#include "engine/process/clock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>

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

// A million seconds later whenever it is read, so that a wait is soon over.
class LeapingClock final : public Clock {
 public:
  double UnixSeconds() const override { return 0.0; }
  double Monotonic() const override { return 1e6 * ++readings; }

  mutable int readings = 0;
};

// Who waits reads the clock for when that is over, and then for what is left.
TEST(SystemTimerTest, OnceCancelledItDoesNotWait) {
  const LeapingClock clock;
  SystemTimer timer(clock);
  const std::atomic<bool> cancel = true;
  timer.Wait(1e6, &cancel);
  EXPECT_EQ(clock.readings, 1);
  timer.Wait(1e6, nullptr);
  EXPECT_EQ(clock.readings, 3);
}

class StoppedClock final : public Clock {
 public:
  explicit StoppedClock(double unix_s) : unix_s_(unix_s) {}
  double UnixSeconds() const override { return unix_s_; }
  double Monotonic() const override { return 0.0; }

 private:
  double unix_s_;
};

// The first 48 bits are milliseconds; a part of one is cut off.
TEST(FreshUuidTest, BeginsWithItsMillisecondAndSaysItsVersion) {
  const Uuid uuid = FreshUuid(StoppedClock(0x0190163D8694 / 1e3 + 0.0004));
  const std::string text = ToString(uuid);
  EXPECT_EQ(text.substr(0, 13), "0190163d-8694");
  EXPECT_EQ(text[14], '7');
  EXPECT_NE(std::string("89ab").find(text[19]), std::string::npos);
}

TEST(FreshUuidTest, TwoOfOneMillisecondAreTwo) {
  const StoppedClock clock(1.0);
  EXPECT_NE(FreshUuid(clock), FreshUuid(clock));
  EXPECT_NE(FreshSecret(), FreshSecret());
}

TEST(SystemClockTest, OneClockKnowsTheDateAndTheOtherNeverFalls) {
  const SystemClock clock;
  EXPECT_GT(clock.UnixSeconds(), 1.7e9);  // After 2023.
  const double before_s = clock.Monotonic();
  EXPECT_GE(clock.Monotonic(), before_s);
}

}  // namespace
}  // namespace coppice::engine
