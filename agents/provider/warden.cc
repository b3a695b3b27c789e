#include "agents/provider/warden.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

// All here may be called after a fork() of a process with threads: it neither
// allocates nor locks.
namespace coppice::agents {
namespace {

constexpr int kBetweenGlances_ms = 1;

// Kills each child that the kernel lists, and what was theirs is ours then.
// False: it does not list them.
bool KillChildren() {
  const int list = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (list < 0) return false;
  char text[4096];
  pid_t child = 0;
  for (ssize_t got = 0; (got = read(list, text, sizeof text)) > 0;) {
    for (ssize_t i = 0; i < got; ++i) {
      if (text[i] >= '0' && text[i] <= '9') {
        child = child * 10 + (text[i] - '0');
      } else if (child > 0) {
        kill(child, SIGKILL);
        child = 0;
      }
    }
  }
  close(list);
  return true;
}

// Reaps who has ended; whether anybody is left.  `code` becomes the command's,
// if it is among them.
bool Reap(pid_t command, int& code) {
  for (;;) {
    int status = 0;
    const pid_t ended = waitpid(-1, &status, WNOHANG);
    if (ended == 0) return true;
    if (ended < 0) return errno == EINTR;
    if (ended != command) continue;
    code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
}

[[noreturn]] void Guard(pid_t command, const sigset_t& awaited) {
  int code = -1;
  while (code < 0) {
    const int signal = sigwaitinfo(&awaited, nullptr);
    if (signal == SIGTERM) break;
    Reap(command, code);
  }
  if (code < 0) code = 128 + SIGKILL;
  while (Reap(command, code)) {
    // Its group, ourselves included, is what is left to be done.
    if (!KillChildren()) kill(0, SIGKILL);
    poll(nullptr, 0, kBetweenGlances_ms);
  }
  _exit(code);
}

}  // namespace

bool BecomeWarded() {
  // Before there is anybody to lose.  Whoever ends us says SIGTERM, as the
  // kernel does when he is gone; nothing else is heard.
  sigset_t all, awaited;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  signal(SIGTERM, SIG_DFL);
  signal(SIGCHLD, SIG_DFL);
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGTERM);
  sigaddset(&awaited, SIGCHLD);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t parent = getppid();
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(127);
  const pid_t warden = getpid();
  const pid_t command = fork();
  if (command < 0) return false;
  if (command == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != warden) _exit(127);
    return true;
  }
  close_range(0, ~0U, 0);
  Guard(command, awaited);
}

}  // namespace coppice::agents
