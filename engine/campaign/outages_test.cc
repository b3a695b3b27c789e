#include "engine/campaign/outages.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "agents/provider/test_timer.h"
#include "engine/campaign/outage_listener.h"

namespace coppice::engine {
namespace {

class OutagesTest : public testing::Test {
 protected:
  // Waits until the clock has gone on by so much; false: no more.
  bool WaitFor(double seconds) {
    const double end_s = timer_.Monotonic() + seconds;
    while (timer_.Monotonic() < end_s) {
      if (!outages_.Wait({Errc::kBusy, "x.db: locked"})) return false;
    }
    return true;
  }

  agents::FakeTimer timer_;
  std::atomic<bool> stop_{false};
  Outages outages_{timer_, stop_};
  std::vector<Outage> told_;
  const OutageListener listener_{
      outages_, [this](const Outage& outage) { told_.push_back(outage); }};
};

TEST_F(OutagesTest, WhatIsSoonOverIsNotTold) {
  EXPECT_TRUE(WaitFor(4));
  outages_.GoOn();
  EXPECT_TRUE(WaitFor(4));
  EXPECT_TRUE(told_.empty());
}

// At 5, 65 and 125 s; the second is the first after a minute.
TEST_F(OutagesTest, WhatLastsIsToldOnceAMinute) {
  EXPECT_TRUE(WaitFor(180));
  ASSERT_EQ(told_.size(), 3u);
  EXPECT_NEAR(told_[0].lasts_s, 5, 1);
  EXPECT_NEAR(told_[1].lasts_s, 65, 2);
  EXPECT_FALSE(told_[0].is_news);
  EXPECT_TRUE(told_[1].is_news);
  EXPECT_FALSE(told_[2].is_news);
  EXPECT_EQ(OutageText({"x.db: locked", 70, true}),
            "x.db: locked; waiting for 1:10 now, and going on by itself once "
            "that is over (Ctrl-C stops it, and nothing is lost)");
}

// The limit is below the five seconds after which other things are told.
TEST_F(OutagesTest, ABusyMachineIsToldOfWithinItsLimit) {
  EXPECT_TRUE(outages_.MeetNoise("this machine is not quiet: 3 others run", 2));
  ASSERT_EQ(told_.size(), 1u);
  EXPECT_EQ(OutageText(told_[0]),
            "this machine is not quiet: 3 others run; waiting for up to 2 s in "
            "all, and then measuring anyway, with wider intervals");
}

// It comes and goes for 50 s, and is told of again at 60.
TEST_F(OutagesTest, ABusyMachineIsToldOfOnceAMinute) {
  for (int i = 0; i < 50; ++i) {
    EXPECT_TRUE(outages_.MeetNoise("this machine is not quiet", 2));
    outages_.FindQuiet();
    timer_.Wait(1, nullptr);
  }
  EXPECT_EQ(told_.size(), 1u);
  timer_.Wait(10, nullptr);
  EXPECT_TRUE(outages_.MeetNoise("this machine is not quiet", 2));
  EXPECT_EQ(told_.size(), 2u);
}

TEST_F(OutagesTest, StoppingEndsAWaitAtOnce) {
  EXPECT_TRUE(WaitFor(3));
  stop_ = true;
  EXPECT_FALSE(outages_.Wait({Errc::kBusy, "x.db: locked"}));
  // And of others who meet the same.
  EXPECT_FALSE(outages_.Wait({Errc::kBusy, "x.db: locked"}));
}

// What is under way is still committed beside another process's transaction.
TEST_F(OutagesTest, WhoStopsStillWaitsForAMoment) {
  stop_ = true;
  EXPECT_TRUE(WaitFor(0.9));
  EXPECT_FALSE(WaitFor(1));
}

TEST_F(OutagesTest, APauseEndsWithTheAnswerOfAnother) {
  std::atomic<bool> is_vain{false};
  outages_.PauseInSilence("away", 3, is_vain);
  EXPECT_EQ(timer_.Monotonic(), 1003);
  outages_.HearAnswer();
  EXPECT_TRUE(told_.empty());
  stop_ = true;
  outages_.PauseInSilence("away", 300, is_vain);
  EXPECT_LE(timer_.Monotonic(), 1004);
}

// Another thread has met an error, which is told when all have ended.
TEST_F(OutagesTest, APauseEndsWhenNothingMoreIsBegun) {
  const std::atomic<bool> is_vain{true};
  outages_.PauseInSilence("away", 300, is_vain);
  EXPECT_LE(timer_.Monotonic(), 1001);
}

TEST_F(OutagesTest, WorkIsDoneAgainUntilThereIsRoom) {
  int tries = 0;
  const auto work = [&]() -> Result<int> {
    if (++tries < 3) return Fail(Errc::kFull, "disk full");
    return tries;
  };
  EXPECT_EQ(WithRoom(&outages_, work).value(), 3);
  tries = 0;
  EXPECT_EQ(WithRoom(nullptr, work).error().code, Errc::kFull);
  const auto other = []() -> Result<int> { return Fail(Errc::kIo, "bad"); };
  EXPECT_EQ(WithRoom(&outages_, other).error().code, Errc::kIo);
}

// Each place has its own five seconds, and its own end.
TEST_F(OutagesTest, OnePlacesEndIsNoOthers) {
  EXPECT_TRUE(outages_.WaitForRoom("disk full"));
  EXPECT_TRUE(WaitFor(4));
  EXPECT_TRUE(outages_.HoldsUpStore());
  outages_.GoOn();
  EXPECT_FALSE(outages_.HoldsUpStore());
  timer_.Advance(2);
  EXPECT_TRUE(told_.empty());
  EXPECT_TRUE(outages_.WaitForRoom("disk full"));  // Six seconds by now.
  ASSERT_EQ(told_.size(), 1u);
  EXPECT_EQ(told_[0].what, "disk full");
  // The database's wait begins anew.
  EXPECT_TRUE(WaitFor(4));
  EXPECT_EQ(told_.size(), 1u);
}

// A lock is looked at often for five seconds, and then once a second.
TEST_F(OutagesTest, WhatLastsIsLookedAtLessOften) {
  EXPECT_TRUE(WaitFor(7));
  const std::vector<double> waits = timer_.Waits();
  EXPECT_EQ(waits.front(), 0.05);
  EXPECT_EQ(waits.back(), 1.0);
}

TEST_F(OutagesTest, WhoStopsMeasuresNoMore) {
  EXPECT_TRUE(outages_.MeetNoise("this machine is not quiet", 2));
  stop_ = true;
  EXPECT_FALSE(outages_.MeetNoise("this machine is not quiet", 2));
}

}  // namespace
}  // namespace coppice::engine
