// What is told of a CUDA candidate that has passed (store/records/profile.h):
// roofs of this device, what its code and launch plan say of each kernel, and
// what a tracer told apart.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "eval/cuda/runner/protocol.h"
#include "store/records/profile.h"
#include "store/records/result.h"

namespace coppice {
struct Evaluation;
struct WorkloadResult;
}  // namespace coppice

namespace coppice::eval::cuda {

class CudaBench;
struct DeviceIdentity;
struct KernelFacts;
struct RunnerProgram;

// Inventories of a candidate's call on each workload, as far as there are any.
struct Traced {
  std::vector<KernelInventory> inventories;
  // Counters of the kernels of one workload, by name (nsight.h).
  std::vector<KernelProfile> counted = {};
  std::size_t counted_workload = 0;
  std::string note;         // Why there are none of either: sentences.
  bool has_failed = false;  // The candidate, and perhaps the device with it.
};

// The name without parameters, and cut: "softmax<float, 4>" of
// "_Z7softmaxIf...".
std::string PlainName(std::string symbol);

// The kernels of a launch plan, each with the sum of its launches.
std::vector<KernelProfile> PlannedKernels(const std::vector<Launch>& launches,
                                          const std::vector<KernelFacts>& facts,
                                          const Multiprocessor& multiprocessor);

// Enters the times of `inventory`, whose numbers may be anybody's, and kernels
// that are not in `kernels` yet.
void AddTimes(const KernelInventory& inventory,
              const Multiprocessor& multiprocessor,
              std::vector<KernelProfile>& kernels);

// `result` beside the roofs.  REQUIRES: it has passed, with samples.
Result<Profile> ProfileOf(const CudaBench& bench,
                          const DeviceIdentity& identity,
                          const Abilities& abilities,
                          const WorkloadResult& result);

// Fills the profiles of all workloads, and their digest.  Times that a result
// brings along stay, unless `traced` has better ones.
Result<void> FillProfiles(
    const std::vector<std::unique_ptr<CudaBench>>& benches,
    const std::vector<RunnerProgram>& assignments,
    const DeviceIdentity& identity, const Abilities& abilities,
    const Traced& traced, Evaluation& evaluation);

}  // namespace coppice::eval::cuda
