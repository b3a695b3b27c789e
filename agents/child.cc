#include "agents/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
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
  const std::string_view name = assignment.substr(0, assignment.find('='));
  return name.starts_with("LC_") ||
         std::ranges::find(kNames, name) != kNames.end();
}

std::vector<std::string> EnvironmentFor(const ChildOptions& options) {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view assignment = *entry;
    const std::string_view name = assignment.substr(0, assignment.find('='));
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

// In a new process group, with the pipes as 0, 1 and 2, and nothing else open.
Result<pid_t> Spawn(const ChildOptions& options, int in, int out, int errors) {
  std::vector<std::string> arguments = options.arguments;
  std::vector<std::string> environment = EnvironmentFor(options);
  const std::vector<char*> argv = Pointers(arguments);
  const std::vector<char*> envp = Pointers(environment);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (!options.directory.empty()) {
    posix_spawn_file_actions_addchdir_np(&actions, options.directory.c_str());
  }
  // First out of the way of 0, 1 and 2, should we run without them.
  const int high = 3 + std::max({in, out, errors});
  for (int i = 0; const int fd : {in, out, errors}) {
    posix_spawn_file_actions_adddup2(&actions, fd, high + i++);
  }
  for (int i = 0; i < 3; ++i) {
    posix_spawn_file_actions_adddup2(&actions, high + i, i);
  }
  posix_spawn_file_actions_addclosefrom_np(&actions, 3);

  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK |
                                            POSIX_SPAWN_SETSIGDEF |
                                            POSIX_SPAWN_SETPGROUP);
  pid_t pid = -1;
  const int error = posix_spawnp(&pid, argv.front(), &actions, &attributes,
                                 argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    return Fail(error == ENOENT ? Errc::kNotFound : Errc::kUnavailable,
                arguments.front() + ": " + std::strerror(error));
  }
  return pid;
}

// A running command and what it has said.
class Child {
 public:
  Child(const ChildOptions& options, Timer& timer, pid_t pid, Descriptor out,
        Descriptor errors)
      : options_(options),
        timer_(timer),
        pid_(pid),
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
    while (waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
    }
  }

  const ChildOptions& options_;
  Timer& timer_;
  const pid_t pid_;
  Descriptor out_, errors_;
  ChildOutput output_;
  int status_ = 0;
};

}  // namespace

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
