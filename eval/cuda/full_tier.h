// What is asked of a candidate beside checked and timed calls, each time in
// processes of its own: whether a sanitizer complains, and what CUPTI and
// Nsight Compute see of its kernels.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "store/records/result.h"

namespace coppice {
struct Evaluation;
}

namespace coppice::eval::cuda {

struct LoadedTask;
struct Prepared;
class RunnerPool;
struct Traced;

struct FullTierOptions {
  std::filesystem::path toolkit;
  std::uint64_t seed = 0;  // Of inputs; keep it secret.
  double call_timeout_s = 10.0;
};

class FullTier {
 public:
  explicit FullTier(FullTierOptions options) : options_(std::move(options)) {}

  // Enters what the sanitizers say.  What a library of CUDA's does in an
  // expert's name is not held against it.
  Result<void> Examine(const RunnerPool& runners, LoadedTask& loaded_task,
                       const Prepared& prepared, Evaluation& evaluation) const;

  // Nothing of this is held against a candidate.  REQUIRES: it has passed.
  Result<Traced> Observe(const RunnerPool& runners,
                         const LoadedTask& loaded_task,
                         const Prepared& prepared,
                         const Evaluation& evaluation);

 private:
  Result<void> CountOn(std::size_t i, const RunnerPool& runners,
                       const LoadedTask& loaded_task, const Prepared& prepared,
                       Traced& traced);

  FullTierOptions options_;
  std::string nsight_fails_;  // Then it is not asked again.
};

}  // namespace coppice::eval::cuda
