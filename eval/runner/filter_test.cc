#include "eval/runner/filter.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace coppice::eval {
namespace {

constexpr int kPermitted = 200;
constexpr int kNoFilter = 201;

// What becomes of a process that installs the filter and then does this: the
// errno of a call that fails, kPermitted, or minus the signal that ends it.
template <class Call>
int After(Devices devices, const Call& call) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGSYS, SIG_DFL);
    if (!InstallFilter(devices)) _exit(kNoFilter);
    _exit(call() == -1 ? errno : kPermitted);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

class FilterTest : public ::testing::TestWithParam<Devices> {};

// Whatever else is open, files come from outside and stay as they are.
TEST_P(FilterTest, FilesAreReadNotMade) {
  EXPECT_EQ(
      After(GetParam(), [] { return open("/dev/null", O_RDONLY | O_CLOEXEC); }),
      kPermitted);
  const auto create = [](int flags) {
    return [flags] { return open("/tmp/filter_test", flags, 0600); };
  };
  EXPECT_EQ(After(GetParam(), create(O_CREAT | O_WRONLY)), EPERM);
  EXPECT_EQ(
      After(GetParam(),
            [] {
              return static_cast<int>(syscall(SYS_open, "/tmp/filter_test",
                                              O_CREAT | O_WRONLY, 0600));
            }),
      EPERM);
  EXPECT_EQ(After(GetParam(),
                  [] { return open("/tmp", O_TMPFILE | O_WRONLY, 0600); }),
            EPERM);
  EXPECT_EQ(After(GetParam(),
                  [] { return mkdirat(AT_FDCWD, "/tmp/filter_test", 0700); }),
            EPERM);
}

TEST_P(FilterTest, NobodyStartsAProcessOrCallsSomebody) {
  EXPECT_EQ(After(GetParam(), [] { return syscall(SYS_fork); }), -SIGSYS);
  EXPECT_EQ(
      After(GetParam(), [] { return execl("/bin/true", "true", nullptr); }),
      -SIGSYS);
  EXPECT_EQ(After(GetParam(), [] { return socket(AF_UNIX, SOCK_STREAM, 0); }),
            -SIGSYS);
  EXPECT_EQ(After(GetParam(), [] { return kill(getppid(), 0); }), -SIGSYS);
}

INSTANTIATE_TEST_SUITE_P(All, FilterTest,
                         ::testing::Values(Devices::kNone, Devices::kCuda,
                                           Devices::kSanitizedCuda));

TEST(FilterOfSanitizersTest, OnlyASanitizerDeletesItsOwn) {
  const auto remove = [] { return unlink("/tmp/filter_test_none"); };
  EXPECT_EQ(After(Devices::kNone, remove), EPERM);
  EXPECT_EQ(After(Devices::kCuda, remove), EPERM);
  EXPECT_EQ(After(Devices::kSanitizedCuda, remove), ENOENT);
}

TEST(FilterOfSanitizersTest, OnlyASanitizerIsAskedFromOutside) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const auto send_to = [&] {
    return static_cast<int>(sendto(ends[0], "x", 1, 0, nullptr, 0));
  };
  EXPECT_EQ(After(Devices::kCuda, send_to), -SIGSYS);
  EXPECT_EQ(After(Devices::kSanitizedCuda, send_to), kPermitted);
  const auto watch = [] { return epoll_create1(0); };
  EXPECT_EQ(After(Devices::kCuda, watch), EPERM);
  EXPECT_EQ(After(Devices::kSanitizedCuda, watch), kPermitted);
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace coppice::eval
