#include "eval/sandbox/jail/enter.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <string>

#include "eval/sandbox/jail/root.h"

namespace coppice::eval::jail {
namespace {

void Write(const char* path, const std::string& text) {
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0 || write(file, text.data(), text.size()) !=
                      static_cast<ssize_t>(text.size())) {
    Fail(path);
  }
  close(file);
}

// Root may lack a user name space, where the kernel gives it none: it has the
// rights to do without, and gives them up later as well.
void EnterNameSpaces() {
  const uid_t user = geteuid();
  const gid_t group = getegid();
  const auto map = [](unsigned id) {
    return std::to_string(id) + " " + std::to_string(id) + " 1";
  };
  if (unshare(CLONE_NEWUSER) == 0) {
    Write("/proc/self/setgroups", "deny");
    Write("/proc/self/uid_map", map(user));
    Write("/proc/self/gid_map", map(group));
  } else if (user != 0) {
    Fail("user name space");
  }
  if (unshare(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC |
              CLONE_NEWUTS | CLONE_NEWCGROUP) != 0) {
    Fail("name spaces");
  }
}

// With whoever started us, and at once if it has gone already: then nobody
// holds the other end of the pipe `to_it`.
void DieWithParent(int to_it) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  pollfd end{.fd = to_it, .events = 0, .revents = 0};
  if (poll(&end, 1, 0) > 0) _exit(1);
}

void GiveUpRights() {
  for (unsigned long right = 0; prctl(PR_CAPBSET_READ, right, 0, 0, 0) >= 0;
       ++right) {
    if (prctl(PR_CAPBSET_DROP, right, 0, 0, 0) != 0) Fail("bounding set");
  }
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[2] = {};
  if (syscall(SYS_capset, &header, none) != 0) Fail("capabilities");
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) Fail("no_new_privs");
}

int StatusOf(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

struct Pipe {
  int read;
  int write;
};

Pipe MakePipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) Fail("pipe");
  return {ends[0], ends[1]};
}

// The life of the first process: waits for the program, reports how it ended.
[[noreturn]] void Govern(const Order& order, pid_t program, int failed) {
  char byte;
  const bool ran = read(failed, &byte, 1) == 0;
  int status = 0;
  for (;;) {
    const pid_t ended = wait(&status);
    if (ended == program) break;
    if (ended < 0 && errno != EINTR) Fail("wait");
  }
  if (ran) {
    dprintf(order.status_fd, "{ \"exit-code\": %d }\n", StatusOf(status));
  }
  _exit(ran ? StatusOf(status) & 0xff : 1);
}

// Begins as the first process, and returns in the program's.
int BeginProgram(const Order& order) {
  if (sethostname(order.hostname.data(), order.hostname.size()) != 0) {
    Fail("host name");
  }
  EnterRoot(order.items);
  if (chdir(order.directory.c_str()) != 0) Fail("chdir " + order.directory);
  GiveUpRights();
  // Not to be looked into by the program, which has the same user; that is our
  // parent's to look into.
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) Fail("dumpable");
  const Pipe failed = MakePipe();
  const pid_t program = fork();
  if (program < 0) Fail("fork");
  if (program > 0) {
    close(failed.write);
    Govern(order, program, failed.read);
  }
  if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) != 0) Fail("dumpable");
  close(failed.read);
  return failed.write;
}

}  // namespace

int Enter(const Order& order) {
  fcntl(order.status_fd, F_SETFD, FD_CLOEXEC);
  EnterNameSpaces();
  DieWithParent(order.status_fd);
  const Pipe alive = MakePipe();
  const pid_t first = fork();
  if (first < 0) Fail("fork");
  if (first == 0) {
    close(alive.write);
    DieWithParent(alive.read);
    close(alive.read);
    return BeginProgram(order);
  }
  int status = 0;
  while (waitpid(first, &status, 0) < 0 && errno == EINTR) {
  }
  _exit(StatusOf(status) & 0xff);
}

}  // namespace coppice::eval::jail
