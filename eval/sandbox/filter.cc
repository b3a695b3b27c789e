#include "eval/sandbox/filter.h"

#include <asm/prctl.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <span>
#include <vector>

namespace coppice::eval {
namespace {

// Memory, threads of this process, its own signals, time, and reading files
// of the (read-only, nearly empty) file system.
constexpr int kAllowed[] = {
    SCMP_SYS(read),
    SCMP_SYS(readv),
    SCMP_SYS(pread64),
    SCMP_SYS(write),
    SCMP_SYS(writev),
    SCMP_SYS(pwrite64),
    SCMP_SYS(close),
    SCMP_SYS(lseek),
    SCMP_SYS(stat),
    SCMP_SYS(fstat),
    SCMP_SYS(lstat),
    SCMP_SYS(newfstatat),
    SCMP_SYS(statx),
    SCMP_SYS(access),
    SCMP_SYS(faccessat),
    SCMP_SYS(faccessat2),
    SCMP_SYS(readlink),
    SCMP_SYS(readlinkat),
    SCMP_SYS(getdents64),
    SCMP_SYS(poll),
    SCMP_SYS(ppoll),
    SCMP_SYS(mmap),
    SCMP_SYS(mprotect),
    SCMP_SYS(munmap),
    SCMP_SYS(mremap),
    SCMP_SYS(brk),
    SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigreturn),
    SCMP_SYS(sigaltstack),
    SCMP_SYS(restart_syscall),
    SCMP_SYS(futex),
    SCMP_SYS(set_robust_list),
    SCMP_SYS(get_robust_list),
    SCMP_SYS(rseq),
    SCMP_SYS(membarrier),
    SCMP_SYS(exit),
    SCMP_SYS(exit_group),
    SCMP_SYS(gettid),
    SCMP_SYS(getpid),
    SCMP_SYS(getppid),
    SCMP_SYS(getuid),
    SCMP_SYS(geteuid),
    SCMP_SYS(getgid),
    SCMP_SYS(getegid),
    SCMP_SYS(getrusage),
    SCMP_SYS(times),
    SCMP_SYS(uname),
    SCMP_SYS(sysinfo),
    SCMP_SYS(getcwd),
    SCMP_SYS(getcpu),
    SCMP_SYS(sched_yield),
    SCMP_SYS(sched_getaffinity),
    SCMP_SYS(sched_getscheduler),
    SCMP_SYS(sched_getparam),
    SCMP_SYS(nanosleep),
    SCMP_SYS(clock_nanosleep),
    SCMP_SYS(clock_gettime),
    SCMP_SYS(clock_getres),
    SCMP_SYS(gettimeofday),
    SCMP_SYS(time),
    SCMP_SYS(getrandom),
};

// What the CUDA driver asks for once a context exists, and what passes the
// descriptors of device memory.  No socket can be made to send to.
constexpr int kCudaCalls[] = {
    SCMP_SYS(ioctl),
    SCMP_SYS(dup),
    SCMP_SYS(eventfd2),
    SCMP_SYS(pipe2),
    SCMP_SYS(memfd_create),
    SCMP_SYS(get_mempolicy),
    SCMP_SYS(sched_get_priority_max),
    SCMP_SYS(sched_get_priority_min),
    SCMP_SYS(recvmsg),
    SCMP_SYS(sendmsg),
};

// What NVIDIA's sanitizers use besides, on sockets in a network of their own.
constexpr int kSanitizerCalls[] = {
    SCMP_SYS(accept),          SCMP_SYS(accept4),
    SCMP_SYS(epoll_ctl),       SCMP_SYS(epoll_wait),
    SCMP_SYS(epoll_pwait),     SCMP_SYS(epoll_create1),
    SCMP_SYS(timerfd_create),  SCMP_SYS(timerfd_settime),
    SCMP_SYS(timerfd_gettime), SCMP_SYS(recvfrom),
    SCMP_SYS(sendto),          SCMP_SYS(setsockopt),
    SCMP_SYS(getsockopt),      SCMP_SYS(getsockname),
    SCMP_SYS(getpeername),     SCMP_SYS(shutdown),
    SCMP_SYS(unlink),          SCMP_SYS(select),
    SCMP_SYS(pselect6),
};

// What an interpreter uses besides: the socket that it is asked on, and itself.
constexpr int kPythonCalls[] = {
    SCMP_SYS(recvmsg),       SCMP_SYS(sendto), SCMP_SYS(ioctl),
    SCMP_SYS(dup),           SCMP_SYS(pipe2),  SCMP_SYS(eventfd2),
    SCMP_SYS(memfd_create),  SCMP_SYS(select), SCMP_SYS(epoll_wait),
    SCMP_SYS(epoll_create1), SCMP_SYS(mlock),  SCMP_SYS(get_mempolicy),
};

constexpr int kAttacks[] = {
    SCMP_SYS(execve),
    SCMP_SYS(execveat),
    SCMP_SYS(fork),
    SCMP_SYS(vfork),
    SCMP_SYS(socket),
    SCMP_SYS(socketpair),
    SCMP_SYS(connect),
    SCMP_SYS(bind),
    SCMP_SYS(listen),
    SCMP_SYS(accept),
    SCMP_SYS(accept4),
    SCMP_SYS(sendmsg),
    SCMP_SYS(sendto),
    SCMP_SYS(ptrace),
    SCMP_SYS(process_vm_readv),
    SCMP_SYS(process_vm_writev),
    SCMP_SYS(kill),
    SCMP_SYS(tkill),
    SCMP_SYS(pidfd_open),
    SCMP_SYS(pidfd_send_signal),
    SCMP_SYS(mount),
    SCMP_SYS(umount2),
    SCMP_SYS(pivot_root),
    SCMP_SYS(chroot),
    SCMP_SYS(unshare),
    SCMP_SYS(setns),
    SCMP_SYS(bpf),
    SCMP_SYS(perf_event_open),
    SCMP_SYS(userfaultfd),
    SCMP_SYS(io_uring_setup),
    SCMP_SYS(add_key),
    SCMP_SYS(keyctl),
    SCMP_SYS(open_by_handle_at),
};

// Linux 6.1 and 6.13; absent from older headers.
constexpr scmp_datum_t kMadviseCollapse = 25;
constexpr scmp_datum_t kMadviseGuard = 102;  // And its removal: thread stacks.

// The last of those that the C library keeps for itself: setuid's.
constexpr int kLastSignal = 33;

bool IsPython(Devices devices) {
  return devices == Devices::kPython || devices == Devices::kPythonCuda;
}

// Rules for calls that are right only with certain arguments.
struct Rules {
  template <class... Conditions>
  void Add(std::uint32_t action, int call, Conditions... all) {
    good = good && seccomp_rule_add_exact(filter, action, call, sizeof...(all),
                                          all...) == 0;
  }

  scmp_filter_ctx filter;
  Devices devices;
  bool good = true;  // Whether all could be added.
};

void AddProcessRules(Rules& rules) {
  const bool is_python = IsPython(rules.devices);
  const auto pid = static_cast<scmp_datum_t>(getpid());
  // Threads yes, processes no.  clone3 hides its flags in memory, where a
  // filter cannot see them; ENOSYS makes glibc fall back to clone.  A thread
  // that waits as vfork's caller does takes a SIGSTOP for itself and stays as
  // it is: with many of them a process could not be stopped.
  constexpr scmp_datum_t kKind = CLONE_THREAD | CLONE_VFORK;
  rules.Add(SCMP_ACT_ALLOW, SCMP_SYS(clone),
            SCMP_A0(SCMP_CMP_MASKED_EQ, kKind, CLONE_THREAD));
  rules.Add(SCMP_ACT_TRAP, SCMP_SYS(clone),
            SCMP_A0(SCMP_CMP_MASKED_EQ, kKind, kKind));
  if (!is_python) {
    rules.Add(SCMP_ACT_TRAP, SCMP_SYS(clone),
              SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
  }
  // abort(), and what is raised again after it was told.  Not SIGCONT: it would
  // take back the SIGSTOP by which the parent holds this process.
  std::vector<scmp_arg_cmp> signals = {SCMP_A2(SCMP_CMP_LT, SIGCONT, 0)};
  for (int signal = SIGCONT + 1; signal <= kLastSignal; ++signal) {
    signals.push_back(
        SCMP_A2(SCMP_CMP_EQ, static_cast<scmp_datum_t>(signal), 0));
  }
  for (const scmp_arg_cmp signal : signals) {
    if (is_python) {
      rules.Add(SCMP_ACT_ALLOW, SCMP_SYS(tgkill), signal);
    } else {
      rules.Add(SCMP_ACT_ALLOW, SCMP_SYS(tgkill), SCMP_A0(SCMP_CMP_EQ, pid, 0),
                signal);
    }
  }
  rules.Add(SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3));
  rules.Add(SCMP_ACT_ALLOW, SCMP_SYS(prctl),
            SCMP_A0(SCMP_CMP_EQ, PR_SET_NAME, 0));
}

void AddResourceRules(Rules& rules) {
  // A processor's state that is given on request: AMX's tiles.
  for (const int code :
       {ARCH_GET_XCOMP_SUPP, ARCH_GET_XCOMP_PERM, ARCH_REQ_XCOMP_PERM}) {
    rules.Add(SCMP_ACT_ALLOW, SCMP_SYS(arch_prctl),
              SCMP_A0(SCMP_CMP_EQ, static_cast<scmp_datum_t>(code), 0));
  }
  if (rules.devices == Devices::kNone) {
    rules.Add(SCMP_ACT_ALLOW, SCMP_SYS(ioctl), SCMP_A1(SCMP_CMP_EQ, TCGETS, 0));
    rules.Add(SCMP_ACT_ALLOW, SCMP_SYS(fcntl),
              SCMP_A1(SCMP_CMP_EQ, F_GETFL, 0));
  } else {
    // Not F_SETSIG and the like, which choose a signal that a descriptor sends.
    rules.Add(SCMP_ACT_ALLOW, SCMP_SYS(fcntl),
              SCMP_A1(SCMP_CMP_LE, F_SETLKW, 0));
    for (const int command : {F_DUPFD_CLOEXEC, F_SETPIPE_SZ, F_GETPIPE_SZ,
                              F_ADD_SEALS, F_GET_SEALS}) {
      rules.Add(SCMP_ACT_ALLOW, SCMP_SYS(fcntl),
                SCMP_A1(SCMP_CMP_EQ, static_cast<scmp_datum_t>(command), 0));
    }
  }
  // MADV_COLLAPSE is not among them: which pages of a file of inputs are huge
  // would be a note for the next process that has them.
  rules.Add(SCMP_ACT_ALLOW, SCMP_SYS(madvise),
            SCMP_A2(SCMP_CMP_LT, kMadviseCollapse, 0));
  for (const scmp_datum_t guard : {kMadviseGuard, kMadviseGuard + 1}) {
    rules.Add(SCMP_ACT_ALLOW, SCMP_SYS(madvise),
              SCMP_A2(SCMP_CMP_EQ, guard, 0));
  }
  // Opening what there is; a kernel needs no file of its own, and each would
  // cost the kernel memory that no limit counts.
  constexpr scmp_datum_t kCreates = O_CREAT | (O_TMPFILE & ~O_DIRECTORY);
  rules.Add(SCMP_ACT_ALLOW, SCMP_SYS(open),
            SCMP_A1(SCMP_CMP_MASKED_EQ, kCreates, 0));
  rules.Add(SCMP_ACT_ALLOW, SCMP_SYS(openat),
            SCMP_A2(SCMP_CMP_MASKED_EQ, kCreates, 0));
  // Reading one's limits; raising them is refused by the kernel anyway.
  rules.Add(SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), SCMP_A2(SCMP_CMP_EQ, 0, 0));
}

// Null if it cannot be made.
scmp_filter_ctx MakeFilter(Devices devices) {
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
  if (filter == nullptr) return nullptr;
  Rules rules{filter, devices};
  AddProcessRules(rules);
  AddResourceRules(rules);
  bool good = rules.good;
  const auto allow = [&](std::span<const int> calls) {
    for (const int call : calls) {
      good = good && seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0) == 0;
    }
  };
  std::vector<std::span<const int>> allowed = {kAllowed};
  const bool is_python = IsPython(devices);
  if (is_python) allowed.push_back(kPythonCalls);
  if (devices != Devices::kNone && devices != Devices::kPython) {
    allowed.push_back(kCudaCalls);
  }
  if (devices == Devices::kSanitizedCuda) allowed.push_back(kSanitizerCalls);
  for (const std::span<const int> calls : allowed) allow(calls);
  for (const int call : kAttacks) {
    const bool is_allowed =
        std::ranges::any_of(allowed, [&](const auto& calls) {
          return std::ranges::find(calls, call) != calls.end();
        });
    if (is_allowed || is_python) continue;
    good = good && seccomp_rule_add(filter, SCMP_ACT_TRAP, call, 0) == 0;
  }
  // Also for calls of a foreign architecture (int 0x80, x32).
  good = good && seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH,
                                  SCMP_ACT_KILL_PROCESS) == 0;
  // Balance the rules as a tree: a shorter path for each system call.
  good = good && seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2) == 0;
  if (good) return filter;
  seccomp_release(filter);
  return nullptr;
}

}  // namespace

bool InstallFilter(Devices devices) {
  scmp_filter_ctx filter = MakeFilter(devices);
  if (filter == nullptr) return false;
  const bool good = seccomp_load(filter) == 0;
  seccomp_release(filter);
  return good;
}

bool ExportFilter(Devices devices, int file) {
  scmp_filter_ctx filter = MakeFilter(devices);
  if (filter == nullptr) return false;
  const bool good = seccomp_export_bpf(filter, file) == 0;
  seccomp_release(filter);
  return good;
}

}  // namespace coppice::eval
