// What the evaluator of candidates in Python keeps between them: the
// interpreter, what compiles for its workers, processes that stand by, and the
// bench of the task that came last.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "store/records/result.h"

namespace coppice {
struct Candidate;
struct Task;
}  // namespace coppice
namespace coppice::eval {
struct PythonEvaluatorOptions;
}

namespace coppice::eval::torch {

struct Interpreter;
class PrewarmedWorkers;
struct StandbyWorker;
class TorchBench;
class TrustedPreload;
struct WorkerOptions;
enum class WorkerRole;

class PythonWorkbench {
 public:
  // The device is chosen (device.h).  `seed` is of all inputs; keep it secret.
  PythonWorkbench(PythonEvaluatorOptions options, Interpreter interpreter,
                  std::uint64_t seed);
  ~PythonWorkbench();

  const PythonEvaluatorOptions& options() const;
  const Interpreter& interpreter() const;
  // Whether what candidates read and write lies on a device.
  bool IsOnDevice() const;
  // Whether candidates are timed.
  bool IsTimed() const;
  std::uint64_t NextSeed();

  // What evaluating a candidate will need, so that all of it starts at the same
  // time.
  Result<void> Prestart(const Task& task, const Candidate& candidate);
  // A worker of the next candidate's, or of the root's.
  Result<void> PrestartOne();

  // From now on workers import what a task's text has torch import.
  void ImportFor(const Task& task);
  WorkerOptions Workers();
  PrewarmedWorkers& prewarmed_workers();
  TrustedPreload& trusted_preload();
  // One that stands by.
  Result<StandbyWorker> Take(WorkerRole role);

  bool HasAdopted(const Task& task) const;
  // Whether it is another task than the last, whose bench is opened then.
  Result<bool> Adopt(const Task& task);

  // REQUIRES, as all that follows: a task was adopted.
  TorchBench& bench();
  // Opens the bench anew, with the case that was at hand.
  Result<void> Reopen();
  // Has the root join on each case.
  Result<void> TryCases();
  // Names what is measured on: the device, or a processor of that kind.
  std::string MachineIdentity() const;

 private:
  struct Kept;

  const std::unique_ptr<Kept> kept_;
};

}  // namespace coppice::eval::torch
