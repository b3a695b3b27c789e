#include "engine/http/threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <memory>

namespace coppice::http {
namespace {

TEST(ThreadsTest, WhoHasEndedLeavesItsPlace) {
  Threads threads;
  std::latch begun(2);
  std::latch may_end(1);
  threads.Start([&] {
    begun.count_down();
    may_end.wait();
  });
  threads.Start([&] { begun.count_down(); });
  begun.wait();
  while (threads.Count() == 2) {
  }
  EXPECT_EQ(threads.Count(), 1u);
  may_end.count_down();
  threads.Join();
  EXPECT_EQ(threads.Count(), 0u);
}

// It may hold what its end is told by, as a socket.
TEST(ThreadsTest, WhatItsWorkHoldsIsGoneOnceItHasEnded) {
  Threads threads;
  const auto held = std::make_shared<int>(7);
  threads.Start([held] { EXPECT_EQ(*held, 7); });
  while (threads.Count() > 0) {
  }
  EXPECT_EQ(held.use_count(), 1);
}

TEST(ThreadsTest, WhoeverGoesOnIsLeftToItself) {
  const auto may_end = std::make_shared<std::latch>(1);
  const auto has_ended = std::make_shared<std::latch>(1);
  {
    Threads threads;
    threads.Start([] {});
    EXPECT_TRUE(threads.EndWithin(60.0));
    threads.Start([may_end, has_ended] {
      may_end->wait();
      has_ended->count_down();
    });
    EXPECT_FALSE(threads.EndWithin(0.0));
    EXPECT_EQ(threads.Count(), 0u);
  }
  may_end->count_down();
  has_ended->wait();
}

}  // namespace
}  // namespace coppice::http
