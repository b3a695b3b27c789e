// Inputs of the adversarial distributions for one workload, made on the host
// ahead of their use: a large tensor takes a tenth of a second.
#pragma once

#include <memory>
#include <vector>

#include "eval/formats/shapes.h"
#include "eval/judge/distributions.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::eval {
class SharedMemory;
}

namespace coppice::eval::cuda {

class AdversarialInputs {
 public:
  // `task` and `workload` outlive this; `seed` stays secret.
  static Result<std::unique_ptr<AdversarialInputs>> Make(
      const Task& task, const Workload& workload, std::uint64_t seed);

  const std::vector<Distribution>& kinds() const { return kinds_; }

  ~AdversarialInputs();

  // Begins to make the inputs of a kind that was not asked for before, if one
  // is left, on a thread of its own.
  void BeginAnother();

  // Begins to make the inputs of all kinds, as many at a time as processors and
  // memory permit.  Returns the order in which they are there soonest.
  const std::vector<std::size_t>& BeginAll();

  // Kinds, by number, that have been begun.
  const std::vector<std::size_t>& begun() const { return begun_; }

  // Waits for them (host_inputs.h), making them if need be.  Once for each
  // kind.
  Result<std::vector<SharedMemory>> Take(std::size_t kind);

 private:
  AdversarialInputs(const Workload& workload, std::uint64_t seed);
  Result<std::vector<SharedMemory>> MakeOne(std::size_t kind) const;
  void BeginWhileThereIsRoom();

  const Workload& workload_;
  std::uint64_t seed_;
  std::vector<Distribution> kinds_;
  Shapes shapes_;
  std::vector<std::size_t> order_;  // In which they are begun; secret.
  std::vector<std::size_t> begun_;
  bool all_ = false;  // Are to be begun.
  struct Making;      // Those that are being made, or wait to be taken.
  const std::unique_ptr<Making> making_;
};

}  // namespace coppice::eval::cuda
