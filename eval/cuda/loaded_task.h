// What is kept for the task that was evaluated last: its trusted processes,
// its root and oracle as they run there, and a bench for each workload.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "eval/cuda/bench.h"
#include "eval/cuda/preparation.h"
#include "store/records/task.h"

namespace coppice::eval::cuda {

class HostClock;
class RunnerPool;
class ToolRun;
class Toolchain;

// Inputs come from here: each bench draws from a stream of its own.
struct InputSource {
  std::uint64_t seed = 0;  // Keep it secret.
  std::uint64_t next_stream = 0;
};

struct LoadedTask {
  // Compiles while the runners make their contexts, that of the candidate to
  // come among them.
  ~LoadedTask();

  static Result<std::unique_ptr<LoadedTask>> Make(const Toolchain& toolchain,
                                                  RunnerPool& runners,
                                                  const Task& task,
                                                  InputSource& inputs);

  // Before the first candidate that they are for runs, which might leave them
  // no memory.
  Result<void> OpenClocks(InputSource& inputs, std::uint64_t memory_bytes);

  // Runners are opened for all workloads first, then for their clocks.
  std::uint32_t ClockNumber(std::size_t workload) const;

  // Inputs of another adversarial kind, ahead of their use (adversarial.h).
  void BeginInputs();
  // What the device can do, by its trusted runner.
  Result<Abilities> Calibrate(const std::string& device,
                              const std::atomic<bool>* cancelled);

  // One checked call of the root on each workload.
  Result<void> CheckHealth();

  Task task;
  TrustedRunners runners;
  std::vector<std::unique_ptr<CudaBench>> benches;
  Prepared root;
  Prepared oracle;
  // Since the first shared object came.
  std::vector<std::unique_ptr<HostClock>> clocks;
  std::unique_ptr<ToolRun> tool_run;  // Once it is needed.
};

}  // namespace coppice::eval::cuda
