#include "agents/provider/throttle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "agents/provider/test_timer.h"

namespace coppice::agents {
namespace {

using ::testing::ElementsAre;

TEST(ThrottleTest, WithoutLimitsNobodyWaits) {
  FakeTimer timer;
  Throttle throttle({}, timer);
  for (int i = 0; i < 1000; ++i)
    ASSERT_TRUE(throttle.Enter(1'000'000, nullptr));
  EXPECT_THAT(timer.Waits(), ElementsAre());
}

// Two calls at 0 s and 10 s; the third goes when the first is a minute old.
TEST(ThrottleTest, NoMinuteHasMoreCallsThanAllowed) {
  FakeTimer timer;
  Throttle throttle({.requests_per_minute = 2}, timer);
  EXPECT_TRUE(throttle.Enter(1, nullptr));
  timer.Advance(10);
  EXPECT_TRUE(throttle.Enter(1, nullptr));
  EXPECT_TRUE(throttle.Enter(1, nullptr));
  EXPECT_THAT(timer.Waits(), ElementsAre(50.0));
}

// 60 + 30 of 100 are used.  20 more need the first to be gone; once that
// turns out to have used 40, they do not.
TEST(ThrottleTest, TokensCountAsReservedUntilTheyAreKnown) {
  FakeTimer timer;
  Throttle throttle({.tokens_per_minute = 100}, timer);
  const auto first = throttle.Enter(60, nullptr);
  timer.Advance(10);
  EXPECT_TRUE(throttle.Enter(30, nullptr));
  throttle.Leave(*first, 40);
  EXPECT_TRUE(throttle.Enter(20, nullptr));
  EXPECT_THAT(timer.Waits(), ElementsAre());
  EXPECT_TRUE(throttle.Enter(20, nullptr));
  EXPECT_THAT(timer.Waits(), ElementsAre(50.0));
}

TEST(ThrottleTest, WhatIsLargerThanAMinuteGoesAlone) {
  FakeTimer timer;
  Throttle throttle({.tokens_per_minute = 100}, timer);
  EXPECT_TRUE(throttle.Enter(500, nullptr));
  EXPECT_THAT(timer.Waits(), ElementsAre());
  EXPECT_TRUE(throttle.Enter(1, nullptr));
  EXPECT_THAT(timer.Waits(), ElementsAre(60.0));
}

TEST(ThrottleTest, AfterTooMuchNobodyGoesInForAsLongAsAsked) {
  FakeTimer timer;
  Throttle throttle({}, timer);
  throttle.SlowDown(7);
  throttle.SlowDown(3);  // Shortens nothing.
  EXPECT_TRUE(throttle.Enter(1, nullptr));
  EXPECT_THAT(timer.Waits(), ElementsAre(7.0));
}

TEST(ThrottleTest, OnceCancelledNobodyGoesIn) {
  FakeTimer timer;
  Throttle throttle({}, timer);
  const std::atomic<bool> cancel = true;
  EXPECT_EQ(throttle.Enter(1, &cancel), std::nullopt);
  EXPECT_TRUE(throttle.Enter(1, nullptr));  // It waits no more.
}

// The most that were inside at once, of eight threads.
int Crowd(Throttle& throttle) {
  std::atomic<int> inside = 0, most = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        const auto ticket = throttle.Enter(1, nullptr);
        const int now = ++inside;
        for (int seen = most;
             seen < now && !most.compare_exchange_weak(seen, now);) {
        }
        std::this_thread::yield();
        --inside;
        throttle.Leave(*ticket, 1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return most;
}

TEST(ThrottleTest, NoMoreAreInsideThanAllowed) {
  FakeTimer timer;
  Throttle throttle({.concurrent = 3}, timer);
  EXPECT_LE(Crowd(throttle), 3);
}

// Four were inside, of whom one was refused and left: two may be.  After one
// success 2 + 1/2 may, after another 2.9, after a third 3.2.
TEST(ThrottleTest, TooMuchHalvesTheCrowdAndSuccessLetsItGrow) {
  FakeTimer timer;
  Throttle throttle({}, timer);
  std::vector<Throttle::Ticket> tickets;
  for (int i = 0; i < 4; ++i) tickets.push_back(*throttle.Enter(1, nullptr));
  throttle.Leave(tickets[0], 1);
  throttle.SlowDown(0);
  throttle.Leave(tickets[1], 1);
  throttle.Leave(tickets[2], 1);
  EXPECT_TRUE(throttle.Enter(1, nullptr));  // The second inside.
  EXPECT_THAT(timer.Waits(), ElementsAre());
  std::atomic<bool> third = false;
  std::thread waiting([&] {
    EXPECT_TRUE(throttle.Enter(1, nullptr));
    third = true;
  });
  while (timer.Waits().size() < 3) std::this_thread::yield();
  EXPECT_FALSE(third);
  throttle.WentWell();
  waiting.join();
  EXPECT_TRUE(third);
}

}  // namespace
}  // namespace coppice::agents
