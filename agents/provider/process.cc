#include "agents/provider/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "agents/provider/warden.h"

namespace coppice::agents {
namespace {

std::string_view NameIn(std::string_view assignment) {
  return assignment.substr(0, assignment.find('='));
}

bool IsHarmless(std::string_view assignment) {
  constexpr std::string_view kNames =
      " PATH HOME USER LOGNAME SHELL TERM LANG TZ TMPDIR http_proxy "
      "https_proxy "
      "no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY SSL_CERT_FILE SSL_CERT_DIR "
      "NODE_EXTRA_CA_CERTS XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME "
      "XDG_STATE_HOME XDG_RUNTIME_DIR ";
  const std::string name(NameIn(assignment));
  return name.starts_with("LC_") ||
         kNames.find(" " + name + " ") != kNames.npos;
}

std::vector<std::string> EnvironmentFor(const ChildOptions& options) {
  std::vector<std::string> environment = options.variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view assignment = *entry;
    const std::string_view name = NameIn(assignment);
    const bool is_given = std::ranges::find(options.variables, name, NameIn) !=
                          options.variables.end();
    if (is_given) continue;
    if (options.environment == ChildEnvironment::kOurs ||
        IsHarmless(assignment) ||
        std::ranges::find(options.passed, name) != options.passed.end()) {
      environment.emplace_back(assignment);
    }
  }
  return environment;
}

std::vector<char*> Pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// All that a new process needs, made before it is one: between fork() and
// exec() it may neither allocate nor lock.
struct Start {
  std::vector<std::string> arguments;
  std::vector<std::string> environment;
  std::vector<char*> argv;
  std::vector<char*> envp;
  const char* directory;
  int in, out, errors;  // Become its 0, 1 and 2.
  int report;           // Gets the errno of what failed.
  bool is_warded;
  pid_t parent;
};

[[noreturn]] void GiveUp(int report) {
  const int why = errno;
  // Nobody could be told of a failure here.
  [[maybe_unused]] const ssize_t written = write(report, &why, sizeof why);
  _exit(127);
}

// In a new process group, with nothing open but 0, 1 and 2, and with all
// signals as they are by default.
[[noreturn]] void Become(const Start& start) {
  setpgid(0, 0);
  // It comes when the thread that forked ends, which is the one that waits.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != start.parent) _exit(127);
  if (start.is_warded && !BecomeWarded()) GiveUp(start.report);
  // First out of the way of 0 to 3, should we run without them.
  const int low[] = {start.in, start.out, start.errors, start.report};
  const int high = 4 + *std::ranges::max_element(low);
  for (int i = 0; i < 4; ++i) dup2(low[i], high + i);
  for (int i = 0; i < 4; ++i) dup2(high + i, i);
  constexpr int kReport = 3;
  fcntl(kReport, F_SETFD, FD_CLOEXEC);
  close_range(kReport + 1, ~0U, 0);
  if (*start.directory != 0 && chdir(start.directory) != 0) GiveUp(kReport);
  // Ignored first, which drops what came before it had a group of its own: that
  // was for us.  Fails for some that have no other.
  struct sigaction ignored {};
  ignored.sa_handler = SIG_IGN;
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) {
    sigaction(signal, &ignored, nullptr);
    sigaction(signal, &usual, nullptr);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execvpe(start.argv.front(), start.argv.data(), start.envp.data());
  GiveUp(kReport);
}

// The errno of what the new process failed at; 0: it runs the program.
int ErrorOf(const Descriptor& report) {
  int why = 0;
  ssize_t got = 0;
  do {
    got = read(report.get(), &why, sizeof why);
  } while (got < 0 && errno == EINTR);
  return got == sizeof why ? why : 0;
}

// The groups of commands that run, for KillCommands().  More at a time than the
// program has threads for.
std::array<std::atomic<pid_t>, 1024> groups{};
static_assert(std::atomic<pid_t>::is_always_lock_free);

// None: it is no child of ours, or no more.  All is 0 for one that runs.
std::optional<siginfo_t> LookAt(pid_t pid) {
  siginfo_t info{};
  const int done =
      waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT);
  if (done != 0 && errno == ECHILD) return std::nullopt;
  return info;
}

}  // namespace

void Descriptor::Close() {
  if (fd_ >= 0) close(std::exchange(fd_, -1));
}

std::optional<Pipe> MakePipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

bool ReadSome(Descriptor& from, std::string& text) {
  char buffer[65536];
  const ssize_t got = read(from.get(), buffer, sizeof buffer);
  if (got > 0) text.append(buffer, static_cast<std::size_t>(got));
  if (got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR))) return true;
  from.Close();
  return false;
}

void KeepLastErrors(std::string& errors) {
  constexpr std::size_t kKept = 16 * 1024;
  if (errors.size() > kKept) errors.erase(0, errors.size() - kKept);
}

Result<pid_t> Spawn(const ChildOptions& options, int in, int out, int errors) {
  const auto fail = [&](int why) {
    return Fail(why == ENOENT ? Errc::kNotFound : Errc::kUnavailable,
                options.arguments.front() + ": " + std::strerror(why));
  };
  auto report = MakePipe();
  if (!report) return fail(errno);
  Start start{options.arguments,
              EnvironmentFor(options),
              {},
              {},
              options.directory.c_str(),
              in,
              out,
              errors,
              report->write.get(),
              options.is_warded,
              getpid()};
  start.argv = Pointers(start.arguments);
  start.envp = Pointers(start.environment);
  // No handler of ours runs in the new process.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = fork();
  if (pid == 0) Become(start);
  const int of_fork = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) return fail(of_fork);
  report->write.Close();
  if (const int why = ErrorOf(report->read); why != 0) {
    waitpid(pid, nullptr, 0);
    return fail(why);
  }
  return pid;
}

bool HasEnded(pid_t pid) {
  const auto end = LookAt(pid);
  return !end || end->si_pid == pid;
}

void SignalGroup(pid_t pid, int signal) {
  if (LookAt(pid)) kill(-pid, signal);
}

Descriptor FileHolding(std::string_view text) {
  Descriptor file(memfd_create("input", MFD_CLOEXEC));
  while (file.open() && !text.empty()) {
    const ssize_t written = write(file.get(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      file.Close();
      return file;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  if (file.open()) lseek(file.get(), 0, SEEK_SET);
  return file;
}

std::optional<int> EndGroup(pid_t pid, Running& running, double grace_s,
                            Timer& timer) {
  constexpr int kGlance_ms = 10;
  SignalGroup(pid, SIGTERM);
  const double killed_s = timer.Monotonic() + grace_s;
  while (!HasEnded(pid) && timer.Monotonic() < killed_s) {
    poll(nullptr, 0, kGlance_ms);
  }
  SignalGroup(pid, SIGKILL);
  running.End();
  int status = 0;
  pid_t reaped = 0;
  do {
    reaped = waitpid(pid, &status, 0);
  } while (reaped < 0 && errno == EINTR);
  if (reaped < 0) return std::nullopt;
  return status;
}

int ExitCodeOf(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Running::Running(pid_t pid) : pid_(pid) {
  for (std::atomic<pid_t>& place : groups) {
    pid_t nobody = 0;
    if (place.compare_exchange_strong(nobody, pid)) break;
  }
}

void Running::End() {
  for (std::atomic<pid_t>& place : groups) {
    pid_t ours = pid_;
    if (place.compare_exchange_strong(ours, 0)) break;
  }
}

void KillCommands() {
  for (const std::atomic<pid_t>& place : groups) {
    const pid_t pid = place.load();
    if (pid > 0) kill(-pid, SIGKILL);
  }
}

}  // namespace coppice::agents
