// The parent's view of code that runs on one workload: a candidate or the root.
#pragma once

#include <memory>

#include "eval/cuda/runner_process.h"
#include "eval/cuda/runner_program.h"

namespace coppice::eval::cuda {

// Scalar inputs, each in the first bytes of its cell.
using Cells = std::array<std::uint64_t, kMaxTensors>;

// What a call meets beside its tensors.
struct CallSurroundings {
  Cells cells{};
  std::uint64_t scratch_pattern = 0;
};

// One call, as far as the runner's word goes.
struct KernelCall : Outcome {
  double wall_s = 0.0;
  double event_s = 0.0;
  double after_s = 0.0;   // Until a short kernel of ours behind it had run.
  double whole_s = 0.0;   // Of both, by the clock of the runner's host.
  double clock_hz = 0.0;  // Of the multiprocessors meanwhile; 0: not told.
  bool held_too_long = false;
};

class KernelProcess {
 public:
  // `number`: how many workloads this process was opened for before.  Loads
  // the code.  A verdict that is not kPassed has ended the process.
  static Result<KernelProcess> Open(std::shared_ptr<RunnerProcess> process,
                                    std::uint32_t number,
                                    const RunnerProgram& runner_program,
                                    const Shapes& shapes, std::uint32_t sets,
                                    std::span<const UniqueFd> tensors,
                                    double timeout_s);

  // How opening it went.
  const RunnerAnswer& opened() const { return opened_; }
  Part part() const { return part_; }

  // False once a call has waited for the device while that was held: then none
  // is held any more, and only the wall clock sees all.
  bool holds() const { return holds_; }

  // As host code is called, which may have threads and streams of its own:
  // nothing of it runs between calls.
  void Guard(bool guarded) { guarded_ = guarded; }

  // Before a call's data are there: lets the process run again if it is
  // guarded, and waits until it does, for that takes long or not by chance.
  Result<RunnerAnswer> Wake(double timeout_s);

  // REQUIRES of all: nothing has ended the process.
  Result<KernelCall> Go(std::uint32_t set, const CallSurroundings& surroundings,
                        double timeout_s);

  // One call on each of the first `count` sets, neither timed nor committed.
  // Its process goes on running.
  Result<RunnerAnswer> GoAll(std::uint32_t count,
                             const CallSurroundings& surroundings,
                             double timeout_s);
  void Stop();  // Unless it is not guarded.

  // A call that is no sample: its answer carries an inventory.
  Result<RunnerAnswer> TakeInventory(std::uint32_t set,
                                     const CallSurroundings& surroundings,
                                     double timeout_s);

 private:
  KernelProcess() = default;

  void Surround(const CallSurroundings& surroundings);
  Result<RunnerAnswer> AskToGo(std::uint32_t set,
                               const CallSurroundings& surroundings,
                               std::uint32_t flags, double timeout_s);

  std::shared_ptr<RunnerProcess> process_;
  std::uint32_t number_ = 0;
  Part part_ = Part::kDeviceCode;
  SharedMemory control_;
  RunnerAnswer opened_;
  bool guarded_ = false;
  bool holds_ = true;
  bool first_ = true;
};

}  // namespace coppice::eval::cuda
