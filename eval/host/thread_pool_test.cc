#include "eval/host/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <stdexcept>

#include "eval/host/affinity.h"

namespace coppice::eval {
namespace {

TEST(ThreadPoolTest, EachPieceOfWorkIsDoneOnce) {
  ThreadPool pool(3);
  for (const std::size_t count : {0u, 1u, 2u, 100u}) {
    std::vector<int> done(count);
    ASSERT_TRUE(pool.ForEach(count, [&](std::size_t i) -> Result<void> {
      ++done[i];
      return {};
    }));
    EXPECT_EQ(done, std::vector<int>(count, 1));
  }
}

TEST(ThreadPoolTest, WithoutOthersTheCallerDoesItAllInOrder) {
  ThreadPool pool(0);
  std::vector<std::size_t> order;
  const auto caller = std::this_thread::get_id();
  ASSERT_TRUE(pool.ForEach(3, [&](std::size_t i) -> Result<void> {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    order.push_back(i);
    return {};
  }));
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2}));
}

// Each waits for the other, which a single thread could not.
TEST(ThreadPoolTest, TwoWorkSideBySide) {
  ThreadPool pool(1);
  std::latch both(2);
  EXPECT_TRUE(pool.ForEach(2, [&](std::size_t) -> Result<void> {
    both.arrive_and_wait();
    return {};
  }));
}

TEST(ThreadPoolTest, TheFirstErrorInOrderIsReturnedWhenAllAreDone) {
  ThreadPool pool(2);
  std::atomic<int> done = 0;
  const auto failed = pool.ForEach(20, [&](std::size_t i) -> Result<void> {
    ++done;
    if (i < 5) return {};
    return Fail(Errc::kIo, std::to_string(i));
  });
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().what, "5");
  EXPECT_EQ(done, 20);
}

TEST(ThreadPoolTest, AnExceptionComesOutAndTheLanesGoOn) {
  ThreadPool pool(1);
  const auto thrower = [](std::size_t i) -> Result<void> {
    if (i == 1) throw std::runtime_error("1");
    return {};
  };
  EXPECT_THROW(static_cast<void>(pool.ForEach(2, thrower)), std::runtime_error);
  EXPECT_TRUE(pool.ForEach(2, [](std::size_t) -> Result<void> { return {}; }));
}

TEST(ThreadPoolTest, ThereIsALaneForEachOtherProcessor) {
  EXPECT_EQ(OtherProcessors() + 1, ProcessorsOf(0).size());
}

}  // namespace
}  // namespace coppice::eval
