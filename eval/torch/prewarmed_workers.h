// Processes that stand ready before it is known what for: they import torch and
// make themselves a context on the device, which takes seconds.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "eval/torch/kernel_worker.h"
#include "eval/torch/problem.h"
#include "eval/torch/scratch_folder.h"
#include "eval/torch/worker.h"
#include "store/records/result.h"

namespace coppice::eval::torch {

// What stands by for a kernel worker or a builder.
struct StandbyWorker {
  WorkerRole role = WorkerRole::kKernel;
  // What compilers leave is found there; a builder's own to write.
  ScratchFolder cache;
  ScratchFolder provided;  // TrustedPreload, once it is taken.
  std::unique_ptr<KernelWorker> kernel_worker;
};

// Does not wait for it.
Result<StandbyWorker> LaunchOne(WorkerOptions options, WorkerRole role);

// Waits for it.  What it wants compiled is compiled by `options`; it is given
// their preload.
Result<void> Await(const WorkerOptions& options, StandbyWorker& one);

// One thread at a time may use it.
class PrewarmedWorkers {
 public:
  // Launches until `count` of that role stand, or are about to.
  Result<void> Launch(const WorkerOptions& options, WorkerRole role,
                      std::size_t count);

  // Waits for one of them, launches it if there is none, and gives it away.
  // What it wants compiled is compiled by `options`; it is given their
  // preload.
  Result<StandbyWorker> Take(const WorkerOptions& options, WorkerRole role);

  // Has one that was taken, and used for nothing, stand by again.
  void Return(StandbyWorker standing);

  // A problem's process, between its description and its judging: no more than
  // one.
  void Keep(std::unique_ptr<Problem> problem) { problem_ = std::move(problem); }

  // Gives it away if it is that one but for its parameters, and otherwise ends
  // it: it would only take memory of the device.
  std::unique_ptr<Problem> TakeProblem(const WorkerOptions& worker,
                                       const ProblemOptions& wanted);

 private:
  std::vector<StandbyWorker> standing_;
  std::unique_ptr<Problem> problem_;
};

}  // namespace coppice::eval::torch
