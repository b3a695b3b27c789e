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

// So many threads of this process, once they are; a thread that has ended may
// be counted for a moment.
std::size_t ThreadsFallenTo(std::size_t wanted) {
  const auto late = For(10.0, nullptr).until;
  while (CountThreadsOf(getpid()) > wanted && Clock::now() < late) {
  }
  return CountThreadsOf(getpid());
}

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
  EXPECT_EQ(ThreadsFallenTo(before), before);
}

TEST(WakefulnessTest, NobodyStaysAwakeForAProcessorThatIsNotThere) {
  const std::size_t before = CountThreadsOf(getpid());
  const Wakefulness awake({CPU_SETSIZE - 1});
  EXPECT_EQ(ThreadsFallenTo(before), before);
}

}  // namespace
}  // namespace coppice::eval
