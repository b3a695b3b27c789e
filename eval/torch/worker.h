// One process of worker.py, in a sandbox, and the parent's end of its protocol.
//
// It is stopped (SIGSTOP) whenever it has answered, so that nothing in it can
// finish its work late or disturb a measurement; what a call has returned is
// read from its memory meanwhile.  So a call's results are what they were when
// its clock stopped, and no call pays for copying them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "eval/host/devices.h"
#include "eval/host/shared_memory.h"
#include "eval/host/unique_fd.h"
#include "eval/host/waiting.h"
#include "eval/judge/observed_call.h"
#include "eval/sandbox/judged_process.h"
#include "eval/sandbox/sandbox.h"
#include "eval/torch/interpreter.h"
#include "eval/torch/protocol.h"
#include "store/records/result.h"

namespace coppice::eval::torch {

class Extensions;

// A problem's worker runs code of the user's, a kernel worker a candidate
// that is judged, a builder a candidate that may start compilers, a provider
// nothing but compilers; in a watched one a tool looks at a candidate, of which
// no verdict or time comes: it is not filtered, and not stopped between
// requests.
enum class WorkerRole { kProblem, kKernel, kBuilder, kProvider, kWatched };

// What a watched worker runs under.
struct WatchTool {
  std::vector<std::string> command{};  // Before the worker's own.
  std::vector<std::pair<std::string, std::string>> environment{};
  std::vector<Bind> binds{};
};

// What a builder may leave.
inline constexpr std::uintmax_t kMostBuiltBytes = std::uintmax_t{1} << 30;

class TrustedPreload;

// Seconds.  What grows is the least: who takes long by itself has more.
struct TimeLimits {
  double load_s = 60.0;  // For loading, constructing, and what a problem does.
  double call_s = 10.0;  // For a kernel worker's calls.
  bool load_grows = false;
  bool call_grows = false;
};

struct WorkerOptions {
  Interpreter interpreter;
  std::filesystem::path scripts;  // The folder of worker.py.
  std::string device = "cpu";     // As torch names it: "cuda:0".
  std::optional<Device> gpu{};    // All that it sees; none: all there are.
  // The folder where compilers keep what they made: a builder's to write,
  // otherwise to read; empty: none.
  std::filesystem::path cache;
  // Where compilers find what they load before that: a provider's to write,
  // otherwise to read; empty: none.
  std::filesystem::path provided{};
  std::filesystem::path caches{};  // A folder for such folders.
  WatchTool tool{};                // For a watched one.
  // Files that a problem's worker may read, as StoredFileInWorker calls them.
  std::vector<std::filesystem::path> stored{};
  // Modules of torch's that what runs there will import (ImportsOf).
  std::string imports{};
  // What compiles for load_inline.  Not owned; null: none will compile.
  Extensions* extensions = nullptr;
  // For those who are taken to run code.  Not owned; null: none.
  const TrustedPreload* trusted_preload = nullptr;
  int threads = 1;
  TimeLimits limits{};
  std::uint64_t memory_bytes = 0;  // Of address space; 0: any.
  const std::atomic<bool>* cancelled = nullptr;
};

// What it did, and how long it took.  The time that extensions were compiled in
// is in the wall clock's, but no limit counts it.
struct Reaction : ObservedCall {
  bool raised = false;  // An exception, which the log tells; it goes on.
  // One call, by the parent's clock.  On a device less what a request takes
  // without it: below 0 where it took next to nothing.
  double call_s = 0.0;
  // On a device, the same with what is done for it before and after, less what
  // that takes without it.
  double whole_s = 0.0;
  double device_s = 0.0;    // By the device's events, which it can edit.
  std::uint32_t calls = 1;  // Made by one request.
  // On a device, nothing is known of how late it was.
  bool is_unsettled = false;
  // The root's: Problem::DeviceContention().  0: it was not looked at.
  double device_contention = 0.0;
  // On a device, outputs were copied, within its time, to where they last.
  bool copies = false;
};

inline bool IsCpu(const std::string& device) {
  return device.starts_with("cpu");
}

// Gives a trusted side a kernel worker's descriptor that it asks for,
// by its number there; invalid if there is none.
using Giver = std::function<UniqueFd(int number)>;

class Worker {
 public:
  // Does not wait for it: it imports torch meanwhile.
  static Result<std::unique_ptr<Worker>> Launch(const WorkerOptions& options,
                                                WorkerRole role);
  ~Worker();

  // Waits until it stands, with its limits.  A failure up to there is ours.
  Result<void> Ready();

  // "NVIDIA H200"; empty for the CPU.  REQUIRES: Ready().
  const std::string& device_name() const { return device_name_; }
  // "90"; empty for the CPU.
  const std::string& architecture() const { return architecture_; }
  const std::string& device_uuid() const { return device_uuid_; }

  // In the place of what WorkerOptions::limits says, from now on.
  void LimitLoading(double seconds) { options_.limits.load_s = seconds; }
  // The same, or that if it is more.
  void AllowCalls(double seconds) {
    options_.limits.call_s = std::max(options_.limits.call_s, seconds);
  }

  // Sets WorkerOptions::extensions from now on.
  void CompileBy(Extensions* extensions) { options_.extensions = extensions; }

  // `order` is JSON, or nothing.  What it did is not kPassed: kCompileFailed
  // while it was loaded, or for an exception after an extension did not
  // compile, kRejected if it refused to go on, kCrashed for another exception;
  // the log says why.  Anything else but kPassed ends it.
  // REQUIRES: Ready(), and nothing has ended it.
  Result<Reaction> Ask(const WorkerRequest& request,
                       const std::string& order = "", int descriptor = -1);

  // The same in steps.  After Begin() it works, after Answer() it is still
  // awake; End() stops it.
  void Begin(const WorkerRequest& request, const std::string& order = "",
             int descriptor = -1);
  Result<Reaction> Answer(const Giver& giver = {});
  void End(Reaction& reaction);

  // To one that waits for it, within a request.
  void SayNow();

  // What the last request left.  A candidate may leave anything.
  std::vector<TensorEntry> Tensors() const;
  std::string Text() const;

  // `bytes` of its memory.  False if there is none.
  bool Read(std::uint64_t address, std::span<std::byte> bytes) const;

  // The processors that it may run on.
  std::vector<int> Processors() const;

  // The seconds that its extensions took to compile.
  double compile_s() const { return compile_s_; }

  // A descriptor of the process, which it knows by that number.  Invalid, with
  // errno, if there is none.
  UniqueFd Fetch(int descriptor) const;

  // Has it end by itself, once it has answered: its exit status, or its tool's.
  // None if it had to be stopped, `limit_s` later.
  Result<std::optional<int>> Finish(double limit_s);

  // The memory that it leaves its notes in.
  int notes() const { return notes_.fd(); }

  // What it printed, at most 64 KiB.
  std::string Output() const { return process_->Output(); }

 private:
  Worker(const WorkerOptions& options, WorkerRole role)
      : options_(options), role_(role) {}

  Result<Reaction> Await(const WorkerRequest& request, const Giver& giver);
  Result<void> Give(const Giver& giver);
  Result<Reaction> Explained(const WorkerRequest& request,
                             const WorkerReply& reply);
  Result<Verdict> BuildExtension();
  double Limit(WorkerRequestKind kind) const;
  Reaction Stopped(Outcome outcome);
  Reaction Ended();
  void WriteOrder(const std::string& order);
  void Signal(int signal) const;
  Outcome Stop() const;  // Whether it came to rest.

  WorkerOptions options_;
  WorkerRole role_;
  std::filesystem::path writes_to_;  // Empty: to nothing.
  std::optional<int> seat_;  // The processor that it leaves to who waits awake.
  SharedMemory control_;
  SharedMemory notes_;
  UniqueFd socket_;
  UniqueFd pidfd_;
  pid_t pid_ = -1;  // In our name space; names it while pidfd_ lives.
  std::unique_ptr<Sandboxed> process_;
  std::uint64_t sequence_ = 0;
  WorkerRequest begun_;
  bool spoke_unasked_ = false;  // And so nothing has begun.
  Clock::time_point begun_at_;
  double used_s_ = 0.0;  // Of processors, until then.
  std::string device_name_;
  std::string device_uuid_;
  std::string architecture_;
  int asked_ = 0;                 // For so many extensions.
  bool lacks_extension_ = false;  // One that the request at hand asked for.
  double compile_s_ = 0.0;
};

}  // namespace coppice::eval::torch
