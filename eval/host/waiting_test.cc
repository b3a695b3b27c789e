#include "eval/host/waiting.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

namespace coppice::eval {
namespace {

using std::chrono::milliseconds;

class WaitingTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(pipe(ends_.data()), 0); }
  void TearDown() override {
    close(ends_[0]);
    if (ends_[1] >= 0) close(ends_[1]);
  }
  void Write() { ASSERT_EQ(write(ends_[1], "x", 1), 1); }

  std::array<int, 2> ends_{};
};

TEST_F(WaitingTest, WhatIsThereIsReadyHoweverShortTheTime) {
  EXPECT_EQ(WaitReadable(ends_[0], For(0.0, nullptr)), Waited::kTimedOut);
  EXPECT_EQ(WaitReadable(ends_[0], For(-5.0, nullptr)), Waited::kTimedOut);
  Write();
  EXPECT_EQ(WaitReadable(ends_[0], For(0.0, nullptr)), Waited::kReady);
  EXPECT_EQ(WaitReadable(ends_[0], {Clock::time_point::max()}), Waited::kReady);
}

TEST_F(WaitingTest, WhoHangsUpIsReady) {
  close(ends_[1]);
  ends_[1] = -1;
  EXPECT_EQ(WaitReadable(ends_[0], For(60.0, nullptr)), Waited::kReady);
}

// Before all else: nobody shall read what he no longer wants.
TEST_F(WaitingTest, ACancellationIsHeardFirst) {
  std::atomic<bool> cancelled = true;
  EXPECT_EQ(WaitReadable(ends_[0], For(60.0, &cancelled)), Waited::kCancelled);
  Write();
  EXPECT_EQ(WaitReadable(ends_[0], For(60.0, &cancelled)), Waited::kCancelled);
  cancelled = false;
  EXPECT_EQ(WaitReadable(ends_[0], For(60.0, &cancelled)), Waited::kReady);
}

TEST_F(WaitingTest, WhoWatchesComesBackOnceItIsTimeOrSomethingIsThere) {
  const auto before = Clock::now();
  WatchReadable(ends_[0], 0.02);
  EXPECT_GE(Clock::now() - before, milliseconds(20));
  Write();
  WatchReadable(ends_[0], 1e6);  // Else the test times out.
}

TEST(SecondsTest, AreOfADuration) {
  EXPECT_EQ(Seconds(milliseconds(1500)), 1.5);
  EXPECT_EQ(Seconds(Clock::duration::zero()), 0.0);
  const double before_s = SteadySeconds();
  EXPECT_GE(SteadySeconds(), before_s);
}

TEST(PatienceTest, EndsSoMuchLater) {
  const auto before = Clock::now();
  const Deadline patience = For(2.5, nullptr);
  EXPECT_GE(patience.until - before, milliseconds(2500));
  EXPECT_LE(patience.until - Clock::now(), milliseconds(2500));
}

TEST(CancelledTest, NobodyCancelsWhatNobodyHolds) {
  EXPECT_FALSE(Cancelled(nullptr));
  std::atomic<bool> cancelled = false;
  EXPECT_FALSE(Cancelled(&cancelled));
  cancelled = true;
  EXPECT_TRUE(Cancelled(&cancelled));
}

}  // namespace
}  // namespace coppice::eval
