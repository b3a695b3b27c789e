#include "eval/sandbox/limit.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace coppice::eval {
namespace {

// In a process of its own, whose limit of open files is 100, of which it may
// have 200; what that is afterwards, or -1.
rlimit After(rlim_t wanted) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const rlimit before{.rlim_cur = 100, .rlim_max = 200};
    rlimit after{};
    if (setrlimit(RLIMIT_NOFILE, &before) != 0 ||
        !Limit(RLIMIT_NOFILE, wanted) ||
        getrlimit(RLIMIT_NOFILE, &after) != 0) {
      _exit(1);
    }
    static_cast<void>(!write(ends[1], &after, sizeof after));
    _exit(0);
  }
  close(ends[1]);
  rlimit after{};
  EXPECT_EQ(read(ends[0], &after, sizeof after),
            static_cast<ssize_t>(sizeof after));
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return after;
}

// Both: what is soft can be raised again.
TEST(LimitTest, ALimitIsHardAndSoft) {
  EXPECT_EQ(After(32).rlim_cur, 32u);
  EXPECT_EQ(After(32).rlim_max, 32u);
  EXPECT_EQ(After(0).rlim_max, 0u);
}

TEST(LimitTest, ALowerLimitIsNotRaised) {
  EXPECT_EQ(After(150).rlim_cur, 150u);
  EXPECT_EQ(After(5000).rlim_cur, 200u);
  EXPECT_EQ(After(5000).rlim_max, 200u);
}

}  // namespace
}  // namespace coppice::eval
