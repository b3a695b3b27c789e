#include "eval/host/background_work.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

namespace coppice::eval {
namespace {

TEST(BackgroundWorkTest, NoMoreIsDoneAtATimeThanTheLimit) {
  BackgroundWork side(2);
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  std::atomic<int> done{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        side.Do([&] {
          const int now = ++inside;
          int seen = most;
          while (now > seen && !most.compare_exchange_weak(seen, now)) {
          }
          std::this_thread::yield();
          --inside;
          ++done;
        });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(done, 600);
  EXPECT_LE(most, 2);
}

TEST(BackgroundWorkTest, NothingBeginsInSilence) {
  BackgroundWork side(4);
  std::atomic<bool> worked{false};
  std::optional<BackgroundWork::Silence> silence(std::in_place, side);
  std::thread worker([&] { side.Do([&] { worked = true; }); });
  // Long enough for the worker to have come to its wait, mostly; were there no
  // silence, it would mostly have worked.
  for (int i = 0; i < 1000; ++i) std::this_thread::yield();
  EXPECT_FALSE(worked);
  silence.reset();
  worker.join();
  EXPECT_TRUE(worked);
}

TEST(BackgroundWorkTest, SilenceWaitsForWhatIsBeingDone) {
  BackgroundWork side(4);
  std::atomic<bool> begun{false};
  std::atomic<bool> may_end{false};
  std::atomic<bool> ended{false};
  std::thread worker([&] {
    side.Do([&] {
      begun = true;
      while (!may_end) std::this_thread::yield();
      ended = true;
    });
  });
  while (!begun) std::this_thread::yield();
  std::thread releaser([&] { may_end = true; });
  {
    const BackgroundWork::Silence silence(side);
    EXPECT_TRUE(ended);
  }
  releaser.join();
  worker.join();
}

// The next ones wait although there is room, or timed calls might wait for
// ever.
TEST(BackgroundWorkTest, SilenceIsNotHeldUpByWorkThatComesLater) {
  BackgroundWork side(8);
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      while (!stop) side.Do([] { std::this_thread::yield(); });
    });
  }
  for (int i = 0; i < 100; ++i) const BackgroundWork::Silence silence(side);
  stop = true;
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace coppice::eval
