// A command as a process: how it is begun, and the group that it is ended by.
// What is said to it and heard of it is for others (child.h, line_child.h).
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "agents/provider/child.h"
#include "agents/provider/timer.h"
#include "store/records/result.h"

namespace coppice::agents {

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
  void Close();

 private:
  int fd_;
};

struct Pipe {
  Descriptor read;
  Descriptor write;
};

std::optional<Pipe> MakePipe();

// Adds what can be read of it now.  False once there is nothing more to come:
// it is closed then.
bool ReadSome(Descriptor& from, std::string& text);

// Cuts what a command has said on standard error to its last 16 KiB.
void KeepLastErrors(std::string& errors);

// A file in memory that holds `text`, at its start, so that nobody has to feed
// it and a command that does not read is no broken pipe.  Not open, and errno
// says why, if there is none.
Descriptor FileHolding(std::string_view text);

// Begins it with these as its 0, 1 and 2, in a process group of its own and
// with the environment of the options.  It is killed when the thread that
// called ends.  kNotFound if there is no such program.
Result<pid_t> Spawn(const ChildOptions& options, int in, int out, int errors);

// Whether it has ended.  It stays a zombie, so that its number and its group's
// are nobody else's; unless the process ignores SIGCHLD, when it is gone.
bool HasEnded(pid_t pid);

// To it and all of its group, unless it is gone.
void SignalGroup(pid_t pid, int signal);

// A command that runs, for KillCommands().
class Running {
 public:
  explicit Running(pid_t pid);
  ~Running() { End(); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  // Before it is reaped: then its number may be another's.
  void End();

 private:
  const pid_t pid_;
};

// Ends its group, which has `grace_s` after SIGTERM, and reaps it.  Its status,
// as of waitpid(); none, and nobody knows it, where SIGCHLD is ignored.
std::optional<int> EndGroup(pid_t pid, Running& running, double grace_s,
                            Timer& timer);

// What a shell would say of a status: 128 and the signal, if one has ended it.
int ExitCodeOf(int status);

}  // namespace coppice::agents
