// What is asked of a candidate beside checked and timed calls, each time in
// processes of its own: whether a sanitizer complains, and what CUPTI and
// Nsight Compute see of its kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "store/records/result.h"

namespace coppice {
struct Candidate;
struct Evaluation;
}  // namespace coppice

namespace coppice::eval::cuda {

struct Prepared;
struct Traced;
class Workbench;

class FullTier {
 public:
  // It outlives this, and has adopted the task of what is asked.
  explicit FullTier(Workbench& workbench) : workbench_(workbench) {}

  // Enters what the sanitizers say.  What a library of CUDA's does in an
  // expert's name is not held against it.
  Result<void> Examine(const Prepared& prepared, Evaluation& evaluation) const;

  // The same, and then, if that leaves its verdict, whether it is right on the
  // shapes that `seed` draws: true if it came to that.
  Result<bool> Prove(const Prepared& prepared, const Candidate& candidate,
                     std::uint64_t seed, Evaluation& evaluation) const;

  // Profiles a candidate (profiling.h); in the full tier with all tools.
  // Nothing of this is held against it.  REQUIRES: it has passed.
  Result<void> Observe(const Prepared& prepared, Evaluation& evaluation);

 private:
  Result<Traced> TraceAll(const Prepared& prepared,
                          const Evaluation& evaluation);
  Result<void> CountOn(std::size_t i, const Prepared& prepared, Traced& traced);

  Workbench& workbench_;
  std::string nsight_fails_;  // Then it is not asked again.
};

}  // namespace coppice::eval::cuda
