// One session (eval/judge/evaluation_session.h) of a CUDA candidate.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>

#include "eval/cuda/loaded_task.h"
#include "eval/cuda/preparation.h"
#include "eval/cuda/runner_pool.h"
#include "eval/host/nvml.h"
#include "eval/host/timing_stability.h"
#include "eval/judge/evaluation_session.h"
#include "eval/judge/stopping.h"
#include "store/records/evaluation.h"

namespace coppice::eval::cuda {

struct CudaDepth {
  int plain;                           // Calls per workload, before timing,
  std::size_t adversarial;             // and on so many other distributions.
  std::optional<TimingBudget> timing;  // None: it is only checked.
  bool hints = false;  // If it is timed: for a hint one that computes wrong.
};
CudaDepth DepthFor(Tier tier);

// What a session takes place on.
struct SessionPlace {
  LoadedTask& loaded_task;
  RunnerPool& runners;
  InputSource& inputs;
  const Abilities& abilities;
  Nvml& nvml;
  TimingStability& stability;
  double call_timeout_s;
  const std::atomic<bool>* cancelled;
};

// Checked on all workloads, then timed on all; stops at the first that it fails
// on.  Its processes are gone when this returns.
Result<EvaluationSession> RunSession(const SessionPlace& place,
                                     const Prepared& prepared,
                                     const CudaDepth& depth);

}  // namespace coppice::eval::cuda
