// One CUDA candidate on one workload.  Every call that it makes is checked,
// and the root's time is taken beside it.
#pragma once

#include <memory>
#include <string>

#include "eval/cuda/bench.h"
#include "eval/quiet.h"
#include "eval/stopping.h"
#include "store/records/evaluation.h"

namespace coppice::eval::cuda {

class Trial {
 public:
  // `bench` outlives the trial.  `number`: how many workloads the process was
  // opened for before.
  Trial(Bench& bench, const Abilities& abilities, double timeout_s);

  // Loads the candidate into the process.
  Result<void> Open(std::shared_ptr<RunnerProcess> process,
                    std::uint32_t number, const Assignment& assignment);

  // Calls it on `plain` data sets, of which the first is new, and on those of
  // `adversarial` other distributions, or of all that there are.
  Result<void> Check(int plain, std::size_t adversarial);

  // Times it against the root, and that against itself (the control, in the
  // same process), alternating which goes first.  A sample is the mean of four
  // calls, one at a time, on cold caches, each the device's time
  // between two events: a device's memory has phases of some 100 us, in which
  // single calls take one of two times, and the median of such jumps.  Samples
  // during which the device ran below three quarters of its clock, or both
  // calls of the root took much longer than alone, are made again as `quiet`
  // has it. REQUIRES: it has passed Check(), and the device's lock is held.
  Result<void> Time(const TimingBudget& budget, Quiet& quiet);

  // What the wall clock says of a call of host code (HostClock).  More than the
  // events tell is added to the samples.
  // REQUIRES: timed, and passing.
  void Charge(double call_s);

  // A call more, in which the launches of device code are told apart: into the
  // result's profile.  No clock runs.  REQUIRES: it has passed Time().
  Result<void> Observe();

  void Fail(Verdict verdict, std::string log);

  const WorkloadResult& result() const { return result_; }
  // Why it failed; or, when timed, how.
  const std::string& log() const { return log_; }
  bool Passing() const { return result_.verdict == Verdict::kPassed; }

 private:
  struct Turn {
    Call own, root, control;
  };

  Result<std::uint32_t> Draw();
  Result<Call> CallOnce(std::uint32_t data);
  Result<Turn> CallAll(bool root_first);
  Result<void> TakeSample(Quiet& quiet);
  std::string WhatDisturbed(const Turn& turn) const;
  void Conclude();
  bool Throttled(double clock_hz) const;
  double FloorSeconds() const;

  Bench& bench_;
  const Abilities& abilities_;
  double timeout_s_;
  std::optional<Contestant> contestant_;
  WorkloadResult result_;
  std::string log_;
  std::vector<std::uint32_t> deck_;  // Data sets not seen since the last load.
  std::uint32_t next_fresh_ = 0;
  std::uint32_t set_ = 0;
  std::vector<double> after_s_;       // Call::after_s of each call timed,
  std::vector<double> root_after_s_;  // and of the root's beside it.
};

}  // namespace coppice::eval::cuda
