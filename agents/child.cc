#include "agents/child.h"

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
#include <optional>
#include <utility>

namespace coppice::agents {
namespace {

constexpr int kGlanceMs = 50;
constexpr double kGrace = 0.25;  // Seconds from SIGTERM to SIGKILL.
constexpr std::size_t kErrorsKept = 16 * 1024;

// A descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    Close();
    fd_ = std::exchange(other.fd_, -1);
    return *this;
  }
  ~Descriptor() { Close(); }

  int get() const { return fd_; }
  bool open() const { return fd_ >= 0; }
  void Close() {
    if (fd_ >= 0) close(std::exchange(fd_, -1));
  }

 private:
  int fd_;
};

struct Pipe {
  Descriptor read;
  Descriptor write;
};

std::optional<Pipe> MakePipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

// A file in memory at its start, so that nobody has to feed it and a command
// that does not read is no broken pipe.
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

std::string_view NameIn(std::string_view assignment) {
  return assignment.substr(0, assignment.find('='));
}

bool IsHarmless(std::string_view assignment) {
  constexpr std::array<std::string_view, 23> kNames = {"PATH",
                                                       "HOME",
                                                       "USER",
                                                       "LOGNAME",
                                                       "SHELL",
                                                       "TERM",
                                                       "LANG",
                                                       "TZ",
                                                       "TMPDIR",
                                                       "http_proxy",
                                                       "https_proxy",
                                                       "no_proxy",
                                                       "HTTP_PROXY",
                                                       "HTTPS_PROXY",
                                                       "NO_PROXY",
                                                       "SSL_CERT_FILE",
                                                       "SSL_CERT_DIR",
                                                       "NODE_EXTRA_CA_CERTS",
                                                       "XDG_CONFIG_HOME",
                                                       "XDG_DATA_HOME",
                                                       "XDG_CACHE_HOME",
                                                       "XDG_STATE_HOME",
                                                       "XDG_RUNTIME_DIR"};
  const std::string_view name = NameIn(assignment);
  return name.starts_with("LC_") ||
         std::ranges::find(kNames, name) != kNames.end();
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

// The groups of commands that run, for KillCommands().  More at a time than the
// program has threads for.
std::array<std::atomic<pid_t>, 1024> groups{};
static_assert(std::atomic<pid_t>::is_always_lock_free);

class Running {
 public:
  explicit Running(pid_t pid) : pid_(pid) {
    for (std::atomic<pid_t>& place : groups) {
      pid_t nobody = 0;
      if (place.compare_exchange_strong(nobody, pid)) break;
    }
  }
  ~Running() { End(); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  // Before it is reaped: then its number may be another's.
  void End() {
    for (std::atomic<pid_t>& place : groups) {
      pid_t ours = pid_;
      if (place.compare_exchange_strong(ours, 0)) break;
    }
  }

 private:
  const pid_t pid_;
};

// A running command and what it has said.
class Child {
 public:
  Child(const ChildOptions& options, Timer& timer, pid_t pid, Descriptor out,
        Descriptor errors)
      : options_(options),
        timer_(timer),
        pid_(pid),
        running_(pid),
        out_(std::move(out)),
        errors_(std::move(errors)) {}

  Result<ChildOutput> Run() {
    const double end_s = timer_.Monotonic() + options_.timeout_s;
    std::optional<Error> stopped;
    // Whoever it started may hold its output open: it ends when it does.
    while (!stopped && !Ended()) {
      Listen(kGlanceMs);
      stopped = WhyStop(end_s);
    }
    Stop();
    if (!stopped) Drain();
    if (stopped) return tl::unexpected<Error>(std::move(*stopped));
    output_.exit_code =
        WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
    return std::move(output_);
  }

 private:
  // It stays a zombie, so that its number and its group's are nobody else's.
  bool Ended() const {
    siginfo_t info{};
    const int done = waitid(P_PID, static_cast<id_t>(pid_), &info,
                            WEXITED | WNOHANG | WNOWAIT);
    return done == 0 && info.si_pid == pid_;
  }

  std::optional<Error> WhyStop(double end_s) const {
    const std::string& name = options_.arguments.front();
    if (options_.cancel != nullptr && options_.cancel->load()) {
      return Error{Errc::kCancelled, name + ": cancelled"};
    }
    if (timer_.Monotonic() >= end_s) {
      return Error{Errc::kTimeout,
                   name + ": not done in " +
                       std::to_string(static_cast<long>(options_.timeout_s)) +
                       " s"};
    }
    if (output_.out.size() > options_.output_limit) {
      return Error{Errc::kCorrupt, name + ": more output than " +
                                       std::to_string(options_.output_limit) +
                                       " bytes"};
    }
    return std::nullopt;
  }

  // Waits for something to read, at most so long, and reads it.
  void Listen(int timeout_ms) {
    pollfd polled[] = {{out_.get(), POLLIN, 0}, {errors_.get(), POLLIN, 0}};
    if (poll(polled, 2, timeout_ms) <= 0) return;
    if (polled[0].revents != 0) {
      Read(out_, output_.out);
      if (options_.on_output) options_.on_output(output_.out.size());
    }
    if (polled[1].revents != 0) {
      Read(errors_, output_.errors);
      if (output_.errors.size() > 2 * kErrorsKept) KeepLastErrors();
    }
  }

  static void Read(Descriptor& from, std::string& text) {
    char buffer[65536];
    const ssize_t got = read(from.get(), buffer, sizeof buffer);
    if (got > 0) text.append(buffer, static_cast<std::size_t>(got));
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
      from.Close();
    }
  }

  // What is in the pipes still, once nobody writes to them.
  void Drain() {
    const std::size_t limit = options_.output_limit;
    for (const Descriptor* fd : {&out_, &errors_}) {
      while (fd->open() && output_.out.size() <= limit) {
        pollfd polled = {fd->get(), POLLIN, 0};
        if (poll(&polled, 1, 0) <= 0) break;
        Listen(0);
      }
    }
    KeepLastErrors();
  }

  void KeepLastErrors() {
    std::string& errors = output_.errors;
    if (errors.size() > kErrorsKept)
      errors.erase(0, errors.size() - kErrorsKept);
  }

  // Ends the group, and reaps its leader.
  void Stop() {
    kill(-pid_, SIGTERM);
    const double killed_s = timer_.Monotonic() + kGrace;
    while (!Ended() && timer_.Monotonic() < killed_s) {
      poll(nullptr, 0, 10);
    }
    kill(-pid_, SIGKILL);
    running_.End();
    while (waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
    }
  }

  const ChildOptions& options_;
  Timer& timer_;
  const pid_t pid_;
  Running running_;
  Descriptor out_, errors_;
  ChildOutput output_;
  int status_ = 0;
};

}  // namespace

void KillCommands() {
  for (const std::atomic<pid_t>& place : groups) {
    const pid_t pid = place.load();
    if (pid > 0) kill(-pid, SIGKILL);
  }
}

Result<std::vector<std::string>> SplitCommand(std::string_view text) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool escapes = c == '\\' && quote != '\'' && i + 1 < text.size();
    if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (quote != 0 && c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else {
      words.back() += escapes ? text[++i] : c;
    }
  }
  if (quote != 0) return Fail(Errc::kUsage, "a quote does not end");
  if (words.empty() || words.front().empty()) {
    return Fail(Errc::kUsage, "expected a command");
  }
  return words;
}

Result<ChildOutput> RunChild(const ChildOptions& options, Timer& timer) {
  Descriptor in = FileHolding(options.input);
  auto out = MakePipe(), errors = MakePipe();
  if (!in.open() || !out || !errors) {
    return Fail(Errc::kIo, options.arguments.front() + ": " +
                               std::string(std::strerror(errno)));
  }
  TRY(pid, Spawn(options, in.get(), out->write.get(), errors->write.get()));
  in.Close();
  out->write.Close();
  errors->write.Close();
  for (const Descriptor* ours : {&out->read, &errors->read}) {
    fcntl(ours->get(), F_SETFL, O_NONBLOCK);
  }
  Child child(options, timer, pid, std::move(out->read),
              std::move(errors->read));
  return child.Run();
}

}  // namespace coppice::agents
