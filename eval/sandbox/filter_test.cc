#include "eval/sandbox/filter.h"

#include <asm/prctl.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>

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

// Where a processor has no such tiles, the kernel says so, not the filter.
TEST_P(FilterTest, TilesOfAmxMayBeAskedFor) {
  constexpr unsigned long kTileData = 18;
  const auto ask = [](int code, unsigned long argument) {
    return [=] { return syscall(SYS_arch_prctl, code, argument); };
  };
  EXPECT_NE(After(GetParam(), ask(ARCH_REQ_XCOMP_PERM, kTileData)), EPERM);
  std::uint64_t supported = 0;
  EXPECT_NE(After(GetParam(), ask(ARCH_GET_XCOMP_SUPP,
                                  reinterpret_cast<unsigned long>(&supported))),
            EPERM);
  EXPECT_EQ(After(GetParam(), ask(ARCH_SET_GS, 0)), EPERM);
}

// Only the advice on memory that other processes could see is refused.
TEST_P(FilterTest, NobodyMakesPagesOfAFileHuge) {
  const auto advise = [](long advice) {
    return [advice] {
      void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      return syscall(SYS_madvise, page, 4096, advice);
    };
  };
  constexpr long kCollapse = 25;
  constexpr long kHighBit = 1L << 32;  // The kernel does not look at it.
  EXPECT_EQ(After(GetParam(), advise(MADV_DONTNEED)), kPermitted);
  EXPECT_EQ(After(GetParam(), advise(MADV_HUGEPAGE)), kPermitted);
  EXPECT_EQ(After(GetParam(), advise(kCollapse)), EPERM);
  EXPECT_EQ(After(GetParam(), advise(kCollapse | kHighBit)), EPERM);
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

// The numbers of what only an attack asks for: other processes, sockets, name
// spaces, keys, the kernel's own programs.
TEST(FilterOfKernelsTest, EveryAttackIsStruckDown) {
  for (const long call : {SYS_execve,
                          SYS_execveat,
                          SYS_fork,
                          SYS_vfork,
                          SYS_socket,
                          SYS_socketpair,
                          SYS_connect,
                          SYS_bind,
                          SYS_listen,
                          SYS_accept,
                          SYS_accept4,
                          SYS_sendmsg,
                          SYS_sendto,
                          SYS_ptrace,
                          SYS_process_vm_readv,
                          SYS_process_vm_writev,
                          SYS_kill,
                          SYS_tkill,
                          SYS_pidfd_open,
                          SYS_pidfd_send_signal,
                          SYS_mount,
                          SYS_umount2,
                          SYS_pivot_root,
                          SYS_chroot,
                          SYS_unshare,
                          SYS_setns,
                          SYS_bpf,
                          SYS_perf_event_open,
                          SYS_userfaultfd,
                          SYS_io_uring_setup,
                          SYS_add_key,
                          SYS_keyctl,
                          SYS_open_by_handle_at}) {
    const auto ask = [call] {
      return static_cast<int>(syscall(call, 0, 0, 0, 0, 0, 0));
    };
    EXPECT_EQ(After(Devices::kNone, ask), -SIGSYS) << call;
    // An exception there: an interpreter's library may have asked.
    EXPECT_NE(After(Devices::kPython, ask), -SIGSYS) << call;
  }
}

// What is merely unknown does no harm.
TEST(FilterOfKernelsTest, WhatAKernelDoesNotNeedFails) {
  for (const long call :
       {SYS_rename,       SYS_unlink,      SYS_chmod,
        SYS_truncate,     SYS_symlink,     SYS_link,
        SYS_dup,          SYS_pipe2,       SYS_memfd_create,
        SYS_eventfd2,     SYS_recvmsg,     SYS_epoll_create1,
        SYS_setuid,       SYS_setrlimit,   SYS_sched_setaffinity,
        SYS_shmget,       SYS_msgget,      SYS_inotify_init1,
        SYS_timer_create, SYS_pidfd_getfd, SYS_openat2,
        SYS_waitid}) {
    EXPECT_EQ(After(Devices::kNone,
                    [call] {
                      return static_cast<int>(syscall(call, 0, 0, 0, 0, 0, 0));
                    }),
              EPERM)
        << call;
  }
}

// A thread is not forbidden, and fails for want of what it needs; a process is,
// and so is a thread whose maker waits as vfork's does, which no SIGSTOP stops.
TEST(FilterOfKernelsTest, ThreadsAreMadeAndProcessesAreNot) {
  const auto clone = [](unsigned long flags) {
    return [flags] {
      return static_cast<int>(syscall(SYS_clone, flags, 0, 0, 0, 0));
    };
  };
  for (const Devices devices : {Devices::kNone, Devices::kCuda}) {
    EXPECT_EQ(After(devices, clone(CLONE_THREAD)), EINVAL);
    EXPECT_EQ(After(devices, clone(SIGCHLD)), -SIGSYS);
    EXPECT_EQ(After(devices, clone(CLONE_VFORK | CLONE_VM | SIGCHLD)), -SIGSYS);
    EXPECT_EQ(After(devices, clone(CLONE_THREAD | CLONE_VFORK)), -SIGSYS);
  }
  EXPECT_EQ(After(Devices::kPython, clone(CLONE_THREAD)), EINVAL);
  EXPECT_EQ(After(Devices::kPython, clone(SIGCHLD)), EPERM);
  EXPECT_EQ(After(Devices::kPython, clone(CLONE_THREAD | CLONE_VFORK)),
            -SIGSYS);
  // Its flags lie where no filter sees them: the C library then uses clone.
  EXPECT_EQ(
      After(Devices::kNone,
            [] { return static_cast<int>(syscall(SYS_clone3, nullptr, 0)); }),
      ENOSYS);
}

TEST(FilterOfKernelsTest, OthersGetNoSignal) {
  // Sends nothing to our parent, and tells whether that would be allowed.
  const auto ask = [] {
    return static_cast<int>(syscall(SYS_tgkill, getppid(), getppid(), 0));
  };
  EXPECT_EQ(After(Devices::kNone, ask), EPERM);
  EXPECT_EQ(After(Devices::kCuda, ask), EPERM);
  // It is alone in a process name space of its own.
  EXPECT_EQ(After(Devices::kPython, ask), kPermitted);
}

TEST(FilterOfKernelsTest, OfCallsWithManyUsesTheHarmlessRemain) {
  const auto name = [] { return prctl(PR_SET_NAME, "kernel"); };
  const auto dump = [] { return prctl(PR_SET_DUMPABLE, 1); };
  const auto read_limit = [] {
    rlimit limit;
    return getrlimit(RLIMIT_AS, &limit);
  };
  const auto set_limit = [] {
    const rlimit limit{1, 1};
    return setrlimit(RLIMIT_CORE, &limit);
  };
  const auto is_terminal = [] {
    return isatty(STDIN_FILENO) == 1 || errno == ENOTTY || errno == EINVAL ? 0
                                                                           : -1;
  };
  const auto non_blocking = [] {
    int on = 1;
    return ioctl(STDIN_FILENO, FIONREAD, &on) == 0 || errno != EPERM ? 0 : -1;
  };
  for (const Devices devices : {Devices::kNone, Devices::kCuda}) {
    EXPECT_EQ(After(devices, name), kPermitted);
    EXPECT_EQ(After(devices, dump), EPERM);
    EXPECT_EQ(After(devices, read_limit), kPermitted);
    EXPECT_EQ(After(devices, set_limit), EPERM);
  }
  EXPECT_EQ(After(Devices::kNone, is_terminal), kPermitted);
  EXPECT_EQ(After(Devices::kNone, non_blocking), EPERM);
  EXPECT_EQ(After(Devices::kCuda, non_blocking), kPermitted);
}

TEST(FilterOfDevicesTest, EachHasWhatItNeeds) {
  const auto memory = [] { return memfd_create("x", 0); };
  const auto shown = [] { return epoll_create1(0); };
  // Sanitizers have an mlock() of their own, which does nothing.
  const auto locked = [] { return syscall(SYS_mlock, nullptr, 0); };
  const auto may = [](Devices devices, const auto& call) {
    return After(devices, call) == kPermitted;
  };
  EXPECT_FALSE(may(Devices::kNone, memory));
  EXPECT_TRUE(may(Devices::kCuda, memory));
  EXPECT_TRUE(may(Devices::kPython, memory));
  EXPECT_FALSE(may(Devices::kCuda, shown));
  EXPECT_TRUE(may(Devices::kPython, shown));
  EXPECT_TRUE(may(Devices::kPythonCuda, shown));
  EXPECT_FALSE(may(Devices::kCuda, locked));
  EXPECT_TRUE(may(Devices::kPython, locked));
  // Descriptors of device memory are passed where there is a device.
  const auto pass = [] {
    const msghdr nothing{};
    return sendmsg(-1, &nothing, 0) == -1 && errno == EBADF ? 0 : -1;
  };
  EXPECT_TRUE(may(Devices::kCuda, pass));
  EXPECT_TRUE(may(Devices::kPythonCuda, pass));
  EXPECT_FALSE(may(Devices::kPython, pass));
}

// Instructions of 8 bytes each.
TEST(ExportFilterTest, AnotherProcessCanInstallIt) {
  std::array<off_t, 2> sizes{};
  for (const std::size_t i : {0u, 1u}) {
    const int file = memfd_create("filter", 0);
    ASSERT_TRUE(
        ExportFilter(i == 0 ? Devices::kPython : Devices::kPythonCuda, file));
    sizes[i] = lseek(file, 0, SEEK_END);
    EXPECT_GT(sizes[i], 0);
    EXPECT_EQ(sizes[i] % 8, 0);
    close(file);
  }
  EXPECT_GT(sizes[1], sizes[0]);  // A device needs more.
  EXPECT_FALSE(ExportFilter(Devices::kPython, -1));
}

}  // namespace
}  // namespace coppice::eval
