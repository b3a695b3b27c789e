#include "eval/host/affinity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <latch>
#include <thread>

namespace coppice::eval {
namespace {

using testing::ElementsAre;

// On a machine of one processor there is nothing to spread over.
class AffinityTest : public testing::Test {
 protected:
  void SetUp() override {
    all_ = ProcessorsOf(0);
    if (all_.size() < 2) GTEST_SKIP() << "one processor";
    two_ = {all_[0], all_[1]};
  }
  void TearDown() override { SpreadThreads({gettid()}, all_); }

  // Runs `check` on the ids of this thread and of `others` more that wait.
  template <class Check>
  void WithThreads(int others, Check check) {
    std::latch done(1);
    std::latch ready(others);
    std::vector<pid_t> threads(static_cast<std::size_t>(others) + 1, gettid());
    std::vector<std::jthread> waiting;
    for (int i = 1; i <= others; ++i) {
      waiting.emplace_back([&, i] {
        threads[static_cast<std::size_t>(i)] = gettid();
        ready.count_down();
        done.wait();
      });
    }
    ready.wait();
    check(threads);
    done.count_down();
  }

  std::vector<int> all_;
  std::vector<int> two_;
};

TEST_F(AffinityTest, AsManyThreadsAsProcessorsGetOneEach) {
  WithThreads(1, [&](const std::vector<pid_t>& threads) {
    SpreadThreads(threads, two_);
    EXPECT_THAT(ProcessorsOf(threads[0]), ElementsAre(two_[0]));
    EXPECT_THAT(ProcessorsOf(threads[1]), ElementsAre(two_[1]));
  });
}

TEST_F(AffinityTest, AnyOtherNumberSharesThemAll) {
  WithThreads(2, [&](const std::vector<pid_t>& threads) {
    SpreadThreads(threads, two_);
    for (const pid_t thread : threads) EXPECT_EQ(ProcessorsOf(thread), two_);
    SpreadThreads({threads[0]}, two_);
    EXPECT_EQ(ProcessorsOf(threads[0]), two_);
  });
}

TEST_F(AffinityTest, KnowsTheThreadsOfAProcess) {
  WithThreads(2, [](const std::vector<pid_t>& threads) {
    EXPECT_THAT(ThreadsOf(getpid()), testing::IsSupersetOf(threads));
    EXPECT_EQ(CountThreadsOf(getpid()), ThreadsOf(getpid()).size());
  });
}

TEST_F(AffinityTest, NobodyHasNoThreads) {
  constexpr pid_t kNobody = 1 << 30;  // Beyond all that a kernel numbers.
  EXPECT_TRUE(ThreadsOf(kNobody).empty());
  EXPECT_EQ(CountThreadsOf(kNobody), 0u);
}

TEST_F(AffinityTest, ASeatThatIsNotThereIsNone) {
  const Seat seat(CPU_SETSIZE - 1);
  EXPECT_EQ(ProcessorsOf(gettid()), all_);
}

TEST_F(AffinityTest, AThreadThatHasASeatStaysThereUntilItLeaves) {
  {
    const Seat seat(two_[1]);
    EXPECT_THAT(ProcessorsOf(gettid()), ElementsAre(two_[1]));
  }
  EXPECT_EQ(ProcessorsOf(gettid()), all_);
}

}  // namespace
}  // namespace coppice::eval
