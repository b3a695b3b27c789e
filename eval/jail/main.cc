// coppice-jail: does with name spaces what eval/sandbox.cc otherwise asks of
// bubblewrap, for machines that have none.  Same command line, same report.
//
// Three processes: this one, which our parent waits for and kills; the first of
// the new process name space, which sets everything up, then only waits, and
// with whose end the kernel ends all others; and the program.
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
#include <cstring>
#include <string>
#include <vector>

#include "eval/jail/order.h"
#include "eval/jail/root.h"

namespace coppice::eval::jail {

void Fail(const std::string& what) {
  dprintf(STDERR_FILENO, "sandbox: %s: %s\n", what.c_str(),
          std::strerror(errno));
  _exit(1);
}

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

// With whoever started us, and at once if the one who reads our report has
// gone already.
void DieWithParent(int status_fd) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  pollfd report{.fd = status_fd, .events = 0, .revents = 0};
  if (poll(&report, 1, 0) > 0) _exit(1);
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

std::vector<char*> Pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Says so on `failed` if the program cannot be executed.
[[noreturn]] void Execute(Order& order, int failed) {
  // It gets what lies below the report, and no more.
  fcntl(failed, F_SETFD, FD_CLOEXEC);
  if (dup2(failed, order.status_fd) < 0) _exit(1);
  fcntl(order.status_fd, F_SETFD, FD_CLOEXEC);
  close_range(static_cast<unsigned>(order.status_fd) + 1, ~0U, 0);
  const std::vector<char*> environment = Pointers(order.environment);
  const std::vector<char*> command = Pointers(order.command);
  execve(command[0], command.data(), environment.data());
  const int error = errno;
  if (write(order.status_fd, "x", 1) != 1) _exit(1);
  errno = error;
  Fail("exec " + order.command[0]);
}

int StatusOf(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// The life of the first process: starts the program, reports how it ended.
[[noreturn]] void Govern(Order& order) {
  DieWithParent(order.status_fd);
  if (sethostname(order.hostname.data(), order.hostname.size()) != 0) {
    Fail("host name");
  }
  EnterRoot(order.items);
  if (chdir(order.directory.c_str()) != 0) Fail("chdir " + order.directory);
  GiveUpRights();
  // Not to be looked into by the program, which has the same user.
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) Fail("dumpable");

  int failed[2];
  if (pipe2(failed, O_CLOEXEC) != 0) Fail("pipe");
  const pid_t program = fork();
  if (program < 0) Fail("fork");
  if (program == 0) Execute(order, failed[1]);
  close(failed[1]);
  char byte;
  const bool ran = read(failed[0], &byte, 1) == 0;
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

}  // namespace
}  // namespace coppice::eval::jail

int main(int argc, char** argv) {
  using namespace coppice::eval::jail;
  Order order = ParseOrder(argc, argv);
  fcntl(order.status_fd, F_SETFD, FD_CLOEXEC);
  EnterNameSpaces();
  DieWithParent(order.status_fd);
  const pid_t first = fork();
  if (first < 0) Fail("fork");
  if (first == 0) Govern(order);
  int status = 0;
  while (waitpid(first, &status, 0) < 0 && errno == EINTR) {
  }
  return StatusOf(status) & 0xff;
}
