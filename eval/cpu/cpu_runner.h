// One runner process with one object loaded, and the parent's end of the
// protocol (runner/protocol.h).
//
// The parent sleeps while the child computes; between calls the child is
// stopped (SIGSTOP), so that threads which outlive a call can neither disturb
// a measurement nor finish their work late, and nothing in it sees an input
// before the clock runs.
#pragma once

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "eval/cpu/call_plan.h"
#include "eval/cpu/program.h"
#include "eval/host/shared_memory.h"
#include "eval/host/waiting.h"
#include "eval/judge/observed_call.h"
#include "eval/sandbox/sandbox.h"
#include "store/records/outcome.h"
#include "store/records/result.h"

namespace coppice::eval {

struct CpuRunnerOptions {
  std::filesystem::path runner;
  std::filesystem::path scratch;  // A directory for a file of a few moments.
  // Variables beside those that OpenMP is told by.
  std::vector<std::pair<std::string, std::string>> environment;
  Libraries libraries = Libraries::kRuntime;
  int threads = 1;  // OpenMP is told so.
  // The processors that it may use; empty: as many of ours as it may have
  // threads.
  std::vector<int> processors;
  double timeout_s = 10.0;  // For loading, and for each batch.
  std::uint64_t memory_bytes = std::uint64_t{4}
                               << 30;  // Address space; 0: any.
  std::uint64_t cpu_limit_s = 0;       // 0: none.
  std::uint32_t sample_us = 0;         // Between samples of its calls; 0: none.
  const std::atomic<bool>* cancelled = nullptr;
};

class CpuRunner {
 public:
  // Starts a runner that will confine itself and wait; what it is to load need
  // not exist yet.  Does not wait for it.  `inputs` is the slot memory to read
  // from; it and `plan` outlive the session.  Errors are ours: no sandbox, no
  // memory.
  static Result<std::unique_ptr<CpuRunner>> Launch(
      const CpuRunnerOptions& options, const CallPlan& plan,
      const SharedMemory& inputs, std::uint32_t slots);
  ~CpuRunner();

  // Waits until the runner stands confined.  Errors are ours.
  Result<void> Ready();

  // Loads the object: its constructors run here.  REQUIRES: Ready().
  Result<ObservedCall> Load(const Program& program);

  // Makes the slots [0, count) resident.  The object may run meanwhile, and no
  // clock does: fill the slots afterwards.
  // REQUIRES: loaded, and nothing has ended the session.
  Result<ObservedCall> Arm(std::uint32_t count);

  // Calls the entry once on each of `count` slots from `first`, back to back.
  // With count 0 it measures the doorbell alone.  The clock runs from before
  // the object may until its answer is seen. REQUIRES: Arm(first + count) or
  // more, and nothing has ended the session.
  Result<ObservedCall> Call(std::uint32_t first, std::uint32_t count);

  // From the next request on, its threads run on this processor, or without
  // one on all that it may use.  REQUIRES: Ready(), and it may use that one.
  void KeepTo(std::optional<int> processor);

  // How many threads it has now, of which all are stopped.
  std::size_t CountThreads() const;

  // The process as our name space numbers it.  REQUIRES: Ready(), and nothing
  // has ended it.
  pid_t process() const { return pid_; }

  // All pages of a slot's output `i`, guards excluded; the tensor lies at
  // plan.outputs[i].offset.
  std::span<std::byte> OutputPages(std::uint32_t slot, std::size_t i) const;

  // Where its first thread was while it was called, as addresses in the
  // object's file; what lies beyond it was elsewhere.  By the process's own
  // account.
  std::vector<std::uint64_t> Samples() const;

  // What the object printed, at most 64 KiB.
  std::string Output() const { return process_->Output(); }

 private:
  CpuRunner(const CpuRunnerOptions& options, const CallPlan& plan,
            std::uint32_t slots);

  Result<void> CreateMemories(const SharedMemory& inputs);
  Result<void> CreateObject();
  Result<ObservedCall> Await(CpuReplyKind kind, std::uint64_t sequence);
  Result<ObservedCall> Request(CpuRequestKind kind, std::uint32_t first,
                               std::uint32_t count);
  Result<ObservedCall> Wake(CpuRequestKind kind, std::uint32_t first,
                            std::uint32_t count);
  ObservedCall Ended();                   // The child has closed its end.
  ObservedCall Stopped(Outcome outcome);  // We end it.
  ObservedCall Forged();
  ObservedCall TooManyThreads();
  std::string DescribeFault(const Notes& notes) const;
  Notes CopyNotes() const;
  void Signal(int signal) const;
  ObservedCall AtRest(ObservedCall observed);
  void Spread();
  double WaitedSeconds() const;

  CpuRunnerOptions options_;
  const CallPlan& plan_;
  std::uint32_t slots_;
  SharedMemory control_;
  SharedMemory outputs_;
  SharedMemory notes_;
  UniqueFd socket_;
  // The file that the sandbox shows as the object, empty until it is loaded.
  // Its name is gone as soon as the runner stands.
  UniqueFd object_;
  std::filesystem::path object_name_;
  UniqueFd runner_;     // A pidfd of the runner itself, in our name space.
  pid_t pid_ = -1;      // Its number; names the runner while runner_ lives.
  UniqueFd schedstat_;  // Of the runner's first thread.
  std::optional<int> kept_to_;
  std::vector<pid_t> threads_;  // Those when it was last continued.
  std::uint32_t armed_ = 0;     // Slots that are resident.
  std::unique_ptr<Sandboxed> process_;
  std::uint64_t sequence_ = 0;
};

}  // namespace coppice::eval
