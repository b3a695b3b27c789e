// One session: a candidate in a process of its own, checked and timed beside
// the root, on one case.
#pragma once

#include <atomic>
#include <optional>

#include "eval/judge/stopping.h"
#include "store/records/result.h"

namespace coppice {
struct Candidate;
}
namespace coppice::eval {
struct EvaluationSession;
class TimingStability;
}  // namespace coppice::eval

namespace coppice::eval::torch {

class TorchBench;
class KernelWorker;

struct Effort {
  int checks = 3;  // Calls before timing.  They are calls like any other.
  // All kinds of inputs after the timed calls, too; on a device, checks of as
  // many calls at once as are timed; on a processor, a profile.
  bool is_thorough = false;
  std::optional<TimingBudget> timing{};  // None: it is only checked.
  bool hints = false;  // If it is timed: for a hint one that computes wrong.
  TimingStability* stability =
      nullptr;  // None: what disturbs is not looked for.
  const std::atomic<bool>* cancelled = nullptr;
};

// On the case at hand, and by the task's protocol; waits for the measurement
// lock, the device's or the machine's, before it times.
//
// By our own, every call has inputs of its own and is verified, timed ones too;
// root and candidate meet the same inputs in turn.
//
// By KernelBench's, as its own harness does it: 5 trials under its public
// seeds, then 100 calls on one set of inputs, first of the candidate and then
// of the root, after 3 to warm up and one that is thrown away.  (There, both
// are called in one process, and a random generator goes on from one to the
// other; here each starts at the trial's seed.)
//
// By FlashInfer-Bench's, as its defaults have it: on 3 sets of inputs one call
// each is checked, then on each set 50 are timed after 10 to warm up, first of
// the root and then of the candidate.  What it tells of either is the mean of
// the sets' medians, the only sample.
Result<EvaluationSession> RunSession(TorchBench& bench,
                                     KernelWorker& kernel_worker,
                                     const Candidate& candidate,
                                     const Effort& effort);

// Whether a call changes inputs, once it may.  Elsewhere a device ends who
// writes to them, and does not say why.
Result<bool> ChangesInputs(TorchBench& bench, KernelWorker& kernel_worker,
                           const Candidate& candidate);

}  // namespace coppice::eval::torch
