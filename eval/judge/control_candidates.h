// How much a process of its own changes times, by all the controls of a task on
// this machine: the root over itself in another process, of which the true
// logarithm is 0.
//
// A session's control is off by its rounds' noise, with the variance v_i, and
// by its process, with the variance p that all have in common.  p is where
//
//   sum over controls of c_i^2 / (v_i + p) = their number
//
// (Paule and Mandel 1982, J. Res. NBS 87, with the mean known), so that noisy
// controls say little of it; 0 if that holds the sum already.
#pragma once

#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include "store/records/evaluation.h"
#include "store/records/paired_rounds.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::eval {

// p, on as many degrees of freedom as the controls are worth: one that is noisy
// beside p counts as little.  To begin with, two controls without noise are
// taken to have been off by half a per cent.
ProcessSpread BetweenProcesses(const std::deque<Estimate>& controls);

class ControlCandidates {
 public:
  // The last ones are kept in `file` of which the first line is `identity`, the
  // machine's and the task's; those of another are forgotten.
  ControlCandidates(std::filesystem::path file, std::string identity);

  // Adds a session's controls, one on each workload if there are any, and says
  // in its results what all of them say.
  Result<void> Enter(std::vector<WorkloadResult>& workloads);

 private:
  Result<void> Write() const;

  std::filesystem::path file_;
  std::string identity_;
  std::deque<Estimate> kept_;
};

// Those of a task's root on `machine`, beside what is compiled.
ControlCandidates ControlsOf(const std::filesystem::path& cache,
                             const std::string& machine, int threads,
                             const Task& task);

}  // namespace coppice::eval
