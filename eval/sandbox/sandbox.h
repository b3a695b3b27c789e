// Runs a program where it can reach nothing of ours: in its own user, process,
// network, mount, IPC and host-name space, with a read-only /usr, a private
// /tmp, an empty environment and, unless asked for, no /proc.
//
// Signals that ask this process to stop are blocked in it: they are for us.
//
// Bubblewrap sets that up or, on a machine without it, a program of our own
// (eval/sandbox/jail).  Where neither can, nothing runs.
//
// Everything in the sandbox dies with the Sandboxed object, with this process,
// and, unless a server forked it, with the thread that launched it
// (PR_SET_PDEATHSIG).  One gap is
// bubblewrap's own: if this process is killed within the milliseconds of a
// launch, what was launched may stay, blocked, or until it ends by itself.  (A
// compiler does; coppice-runner does as soon as nobody is left to ask it.)
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eval/host/unique_fd.h"
#include "eval/host/waiting.h"
#include "store/records/result.h"

namespace coppice::eval {

class ForkServer;

enum class BindMode { kReadOnly, kWritable, kDevice };

struct Bind {
  std::filesystem::path from;
  std::string to;
  BindMode access = BindMode::kReadOnly;
};

// What of the host's shared libraries is there: all of /usr/lib, or the ones
// that C++ kernels and coppice-runner are linked with and no other, so that no
// kernel can take its answer from a library.
enum class Libraries { kAll, kRuntime };

// The program that sets the sandbox up.
enum class Jailer { kBubblewrap, kOwn };

// Our own, unless bubblewrap alone can set a sandbox up; or the one that the
// program asked for by UseJailer(), which is declared in
// eval/sandbox/asked_jailer.h.  Bubblewrap's first process has the user of what
// runs in its sandbox, which may therefore write to its memory.
Jailer ChosenJailer();

struct SandboxedProgram {
  std::vector<std::string> arguments;  // [0] is the path inside.
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<Bind> binds;       // Beside the libraries.
  std::vector<int> descriptors;  // Become 3, 4, ...  Not owned.
  std::size_t tmp_bytes = 16 << 20;
  Libraries libraries = Libraries::kAll;
  bool own_proc = false;  // A /proc that shows what is in the sandbox only.
  Jailer jailer = ChosenJailer();
  // Not executed but forked from there, by Jailer::kOwn.
  std::shared_ptr<ForkServer> server{};
  const std::atomic<bool>* cancelled = nullptr;  // Ends waiting for that.
};

class Sandboxed {
 public:
  // Fails if the program could not be started; that the sandbox could not be
  // set up shows only when it ends: ExitStatus() is none then.
  static Result<Sandboxed> Launch(const SandboxedProgram& program);

  Sandboxed(Sandboxed&& other) noexcept;
  Sandboxed& operator=(Sandboxed&&) = delete;
  ~Sandboxed();

  Waited Wait(const Deadline& patience) const;

  // Kills every process inside and waits until the jailer is gone.  Harmless
  // when it has ended already.
  void Kill();

  // The program's status, once it has ended by itself, or 128 + signal.  None
  // if it was killed or never ran.
  std::optional<int> ExitStatus();

  // Standard output and error together, at most 64 KiB.
  std::string Output() const;

  // For an error of ours, and never empty: what it said or, if that is nothing,
  // how it ended.
  std::string WhyItEnded() const;

 private:
  Sandboxed() = default;

  pid_t pid_ = -1;  // The jailer's; -1 once reaped, or if a server reaps it.
  UniqueFd pidfd_;
  UniqueFd status_;  // Where the jailer reports, in JSON.
  UniqueFd output_;
};

// Nothing if programs can run here; otherwise what is missing and how to get
// it, e.g. after a kernel setting forbids user namespaces.
Result<void> ProbeSandbox(Jailer jailer = ChosenJailer());

// "SIGSEGV" for 11; "signal 99" for what has no name.
std::string SignalName(int signal);

// "killed by SIGSEGV", or "it ended the process with exit status 3 before its
// call returned"; a status over 128 is a signal's.
std::string HowItEnded(int status);

}  // namespace coppice::eval
