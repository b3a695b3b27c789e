// What the evaluator of CUDA candidates keeps between them: the toolchain, the
// device with its runners, and what is loaded of the task that came last.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "store/records/result.h"

namespace coppice {
struct Candidate;
struct Environment;
struct Task;
}  // namespace coppice
namespace coppice::eval {
struct CudaEvaluatorOptions;
struct EvaluationSession;
}  // namespace coppice::eval

namespace coppice::eval::cuda {

struct Abilities;
struct CudaDepth;
struct DeviceIdentity;
struct LoadedTask;
struct Prepared;
class RunnerPool;
class Toolchain;

class Workbench {
 public:
  // As MakeCudaEvaluator.  `seed` is of all inputs; keep it secret.
  static Result<std::unique_ptr<Workbench>> Open(CudaEvaluatorOptions options,
                                                 std::uint64_t seed);
  ~Workbench();

  // Compiles our own kernels, before all else.
  Result<void> FindHelpers();
  // By any thread.
  Result<Prepared> Prepare(const Task& task, const Candidate& candidate) const;
  // Whether it is another task than the last, which is loaded then.
  Result<bool> Adopt(const Task& task);

  // REQUIRES, as all that follows: a task was adopted.  Leaves what the next
  // session needs in the making.
  Result<EvaluationSession> RunSession(const Prepared& prepared,
                                       const CudaDepth& depth);
  // Fails if a fault has damaged the device or the trusted processes on it.
  Result<void> CheckDevice();

  const CudaEvaluatorOptions& options() const;
  double call_timeout_s() const;
  std::uint64_t seed() const;
  const Toolchain& toolchain() const;
  const std::filesystem::path& toolkit() const;
  const DeviceIdentity& identity() const;
  const Abilities& abilities() const;
  RunnerPool& runners();
  LoadedTask& loaded_task();
  Environment Describe() const;

 private:
  struct Kept;
  explicit Workbench(std::unique_ptr<Kept> kept);
  Result<void> Calibrate();

  const std::unique_ptr<Kept> kept_;
};

}  // namespace coppice::eval::cuda
