// One session (eval/judge/evaluation_session.h) of a CUDA candidate.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "eval/judge/stopping.h"
#include "store/records/result.h"

namespace coppice {
enum class Tier : std::uint8_t;
}
namespace coppice::eval {
struct EvaluationSession;
class TimingStability;
}  // namespace coppice::eval

namespace coppice::eval::cuda {

struct Abilities;
struct DeviceIdentity;
struct InputSource;
struct LoadedTask;
struct Prepared;
class RunnerPool;

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
  const DeviceIdentity& device;
  std::function<std::optional<double>()> temperature_c;  // Now.
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
