// A process by descriptor, so that its number cannot come to mean another one.
//
// By number of system call: glibc 2.36 declares these functions without C
// linkage, so that C++ programs do not link with them.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include "eval/host/unique_fd.h"

namespace coppice::eval {

// Invalid, with errno, if there is no such process.  Readable once it ended.
inline UniqueFd OpenPidfd(pid_t pid) {
  return UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
}

// False if the process is gone.
inline bool SendSignal(const UniqueFd& pidfd, int signal) {
  return syscall(SYS_pidfd_send_signal, pidfd.get(), signal, nullptr, 0) == 0;
}

// A descriptor of the process, for us.  Invalid, with errno, if there is none
// of that number, or we may not trace the process.
inline UniqueFd FetchDescriptor(const UniqueFd& pidfd, int descriptor) {
  return UniqueFd(
      static_cast<int>(syscall(SYS_pidfd_getfd, pidfd.get(), descriptor, 0)));
}

}  // namespace coppice::eval
