// A candidate on shapes that no agent was shown (judge/other_shapes.h), in
// processes that are there for nothing else.
#pragma once

#include <cstdint>

#include "eval/cuda/bench.h"
#include "eval/cuda/runner_pool.h"
#include "store/records/task.h"

namespace coppice {
struct Candidate;
struct Evaluation;
}  // namespace coppice
namespace coppice::eval {
struct OnShape;
}

namespace coppice::eval::cuda {

struct Prepared;
class Toolchain;

struct ShapePlace {
  const Toolchain& toolchain;
  RunnerPool& runners;
  const Abilities& abilities;
  double call_timeout_s = 10.0;
};

class ShapeCheck {
 public:
  // Starts the trusted processes and does not wait for them.  What `place`
  // refers to outlives this, and so does the task.
  static Result<ShapeCheck> Begin(const ShapePlace& place, const Task& task);

  // A few calls on each shape that `seed` draws; enters what comes of it.
  Result<void> Check(const Candidate& candidate, std::uint64_t seed,
                     Evaluation& evaluation);

 private:
  ShapeCheck(const ShapePlace& place, const Task& task)
      : place_(place), task_(task) {}
  Result<void> StartTrusted();
  Result<void> AwaitTrusted();
  Result<OnShape> CheckOn(const Workload& workload, const Candidate& candidate,
                          std::uint64_t seed);
  Result<void> CheckRoot(CudaBench& bench);
  Result<Outcome> CheckOn(CudaBench& bench, const Prepared& prepared);

  ShapePlace place_;
  const Task& task_;
  TrustedRunners trusted_;
  std::uint32_t benches_ = 0;  // The trusted runners' number.
  Runner candidate_;
  std::uint32_t opened_ = 0;  // The candidate's number.
};

}  // namespace coppice::eval::cuda
