#include "eval/host/wakefulness.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include "eval/host/affinity.h"
#include "eval/host/waiting.h"

namespace coppice::eval {
namespace {

TEST(WakefulnessTest, WhateverElseRunsGoesFirst) {
  const std::vector<int> processors = ProcessorsOf(getpid());
  const std::size_t before = CountThreadsOf(getpid());
  {
    const Wakefulness awake(processors);
    EXPECT_EQ(CountThreadsOf(getpid()), before + processors.size());
    // Threads as many as processors still get what they need.
    std::atomic<std::size_t> done = 0;
    std::vector<std::jthread> others;
    for (std::size_t i = 0; i < processors.size(); ++i) {
      others.emplace_back([&] {
        for (int turn = 0; turn < 1000; ++turn) std::this_thread::yield();
        ++done;
      });
    }
    others.clear();
    EXPECT_EQ(done, processors.size());
  }
  // A thread that has ended may be counted for a moment.
  const auto late = For(10.0, nullptr).until;
  while (CountThreadsOf(getpid()) > before && Clock::now() < late) {
  }
  EXPECT_EQ(CountThreadsOf(getpid()), before);
}

TEST(WakefulnessTest, AProcessorThatIsNotThereIsLeft) {
  const Wakefulness awake({CPU_SETSIZE - 1});
}

}  // namespace
}  // namespace coppice::eval
