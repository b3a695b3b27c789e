#include "eval/sandbox/wait_limits.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>

namespace coppice::eval {
namespace {

class AttendTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(pipe(ends_.data()), 0); }
  void TearDown() override {
    close(ends_[0]);
    close(ends_[1]);
  }

  Attended AttendTo(pid_t process, double seconds) const {
    return Attend(ends_[0], process, For(seconds, nullptr));
  }

  std::array<int, 2> ends_{};
};

TEST_F(AttendTest, EndsWithTheAnswerOrTheTime) {
  EXPECT_EQ(AttendTo(getpid(), 0.03), Attended::kTimedOut);
  ASSERT_EQ(write(ends_[1], "x", 1), 1);
  EXPECT_EQ(AttendTo(getpid(), 60.0), Attended::kReady);
}

TEST_F(AttendTest, HearsACancellation) {
  const std::atomic<bool> cancelled = true;
  EXPECT_EQ(Attend(ends_[0], getpid(), For(60.0, &cancelled)),
            Attended::kCancelled);
}

// In a process of its own, which says so when it has them all.
TEST_F(AttendTest, SeesThreadsWithoutEnd) {
  std::array<int, 2> started;
  ASSERT_EQ(pipe(started.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    const auto sleeps = [](void* nothing) {
      pause();
      return nothing;
    };
    pthread_t thread;
    for (std::size_t i = 0; i < kThreadLimit; ++i) {
      if (pthread_create(&thread, &small, sleeps, nullptr) != 0) _exit(1);
    }
    static_cast<void>(!write(started[1], "x", 1));
    pause();
    _exit(0);
  }
  close(started[1]);
  char word = 0;
  ASSERT_EQ(read(started[0], &word, 1), 1) << "no threads to be had here";
  EXPECT_EQ(AttendTo(child, 60.0), Attended::kTooManyThreads);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(started[0]);
}

// A word that is there already counts before all else.
TEST_F(AttendTest, AnAnswerIsSeenHoweverShortTheTime) {
  ASSERT_EQ(write(ends_[1], "x", 1), 1);
  EXPECT_EQ(AttendTo(getpid(), 0.0), Attended::kReady);
}

TEST_F(AttendTest, WhoHangsUpHasAnswered) {
  close(ends_[1]);
  EXPECT_EQ(AttendTo(getpid(), 60.0), Attended::kReady);
  ends_[1] = dup(ends_[0]);
}

TEST(TooManyThreadsTest, SaysHowManyAreTooMany) {
  EXPECT_EQ(TooManyThreadsText(), "it has more than 1024 threads");
}

}  // namespace
}  // namespace coppice::eval
