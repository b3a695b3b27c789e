#include "eval/sandbox/filter.h"

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

class StoppingTest : public ::testing::TestWithParam<Devices> {};

// Its parent holds a process by SIGSTOP.
TEST_P(StoppingTest, NobodyTakesBackThatHeIsStopped) {
  const auto send = [](long signal) {
    return [signal] {
      std::signal(SIGUSR1, SIG_IGN);
      return static_cast<int>(
          syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal));
    };
  };
  EXPECT_EQ(After(GetParam(), send(SIGUSR1)), kPermitted);
  EXPECT_EQ(After(GetParam(), [] { return raise(SIGSYS); }), -SIGSYS);
  EXPECT_EQ(After(GetParam(), send(SIGCONT)), EPERM);
  // The system reads no more than 32 bits.
  EXPECT_EQ(After(GetParam(), send(SIGCONT + (1L << 32))), EPERM);
  EXPECT_EQ(After(GetParam(), send(SIGRTMIN)), EPERM);
  EXPECT_EQ(After(GetParam(), [] { return raise(SIGABRT); }), -SIGABRT);
}

TEST_P(StoppingTest, NoDescriptorSendsASignalOfChoice) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const auto set = [&](int command, long argument) {
    return [&ends, command, argument] {
      return fcntl(ends[0], command, argument);
    };
  };
  EXPECT_EQ(After(GetParam(), set(F_GETFL, 0)), kPermitted);
  for (const int command : {F_SETSIG, F_SETOWN, F_NOTIFY, F_SETLEASE}) {
    EXPECT_EQ(After(GetParam(), set(command, SIGCONT)), EPERM) << command;
  }
  const bool is_alone = GetParam() == Devices::kNone;
  EXPECT_EQ(After(GetParam(), set(F_SETFD, FD_CLOEXEC)),
            is_alone ? EPERM : kPermitted);
  close(ends[0]);
  close(ends[1]);
}

INSTANTIATE_TEST_SUITE_P(All, StoppingTest,
                         ::testing::Values(Devices::kNone, Devices::kCuda,
                                           Devices::kSanitizedCuda,
                                           Devices::kPython,
                                           Devices::kPythonCuda));

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
