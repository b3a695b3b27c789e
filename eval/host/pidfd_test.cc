#include "eval/host/pidfd.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <cerrno>
#include <utility>

#include "eval/host/waiting.h"

namespace coppice::eval {
namespace {

bool IsOpen(int fd) { return fcntl(fd, F_GETFD) >= 0; }

TEST(UniqueFdTest, ClosesWhatItOwnsOnce) {
  const int number = open("/dev/null", O_RDONLY | O_CLOEXEC);
  {
    UniqueFd first(number);
    EXPECT_TRUE(first.valid());
    EXPECT_EQ(first.get(), number);
    const UniqueFd second(std::move(first));
    EXPECT_FALSE(first.valid());  // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(second.get(), number);
    EXPECT_TRUE(IsOpen(number));
  }
  EXPECT_FALSE(IsOpen(number));
}

TEST(UniqueFdTest, WhatIsAssignedGoesWithItsFormerOwner) {
  const int old_number = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int new_number = open("/dev/null", O_RDONLY | O_CLOEXEC);
  UniqueFd fd(old_number);
  fd = UniqueFd(new_number);
  EXPECT_FALSE(IsOpen(old_number));
  EXPECT_TRUE(IsOpen(new_number));
  fd.Close();
  EXPECT_FALSE(fd.valid());
  EXPECT_FALSE(IsOpen(new_number));
  fd.Close();
  EXPECT_FALSE(UniqueFd().valid());
}

// One that waits to be killed, with a descriptor of its own.
class PidfdTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(pipe2(ends_, O_CLOEXEC), 0);
    pid_ = fork();
    if (pid_ == 0) {
      while (true) pause();
    }
    pidfd_ = OpenPidfd(pid_);
    ASSERT_TRUE(pidfd_.valid());
  }
  void TearDown() override {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    for (const int end : ends_) {
      if (end >= 0) close(end);
    }
  }

  int ends_[2] = {-1, -1};
  pid_t pid_ = -1;
  UniqueFd pidfd_;
};

TEST_F(PidfdTest, IsReadableOnceItHasEnded) {
  EXPECT_EQ(WaitReadable(pidfd_.get(), For(0.0, nullptr)), Waited::kTimedOut);
  EXPECT_TRUE(SendSignal(pidfd_, 0));
  EXPECT_TRUE(SendSignal(pidfd_, SIGKILL));
  EXPECT_EQ(WaitReadable(pidfd_.get(), For(60.0, nullptr)), Waited::kReady);
  waitpid(pid_, nullptr, 0);
  EXPECT_FALSE(SendSignal(pidfd_, SIGKILL));  // Whoever has its number now.
}

TEST_F(PidfdTest, AProcessThatIsGoneHasNone) {
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  EXPECT_FALSE(OpenPidfd(pid_).valid());
  EXPECT_EQ(errno, ESRCH);
}

TEST_F(PidfdTest, ADescriptorOfItsIsTheSameFile) {
  close(std::exchange(ends_[1], -1));  // The child's is the last to write.
  const UniqueFd none = FetchDescriptor(pidfd_, 9999);
  EXPECT_FALSE(none.valid());
  EXPECT_EQ(errno, EBADF);
  UniqueFd reader = FetchDescriptor(pidfd_, ends_[0]);
  if (!reader.valid()) GTEST_SKIP() << "we may not trace it here";
  EXPECT_NE(reader.get(), ends_[0]);
  EXPECT_EQ(WaitReadable(reader.get(), For(0.0, nullptr)), Waited::kTimedOut);
  kill(pid_, SIGKILL);
  EXPECT_EQ(WaitReadable(reader.get(), For(60.0, nullptr)), Waited::kReady);
}

}  // namespace
}  // namespace coppice::eval
