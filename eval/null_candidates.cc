#include "eval/null_candidates.h"

#include "eval/cpu/null_candidates.h"
#include "eval/cuda/null_candidates.h"

namespace coppice::eval {

Result<std::vector<NullCandidate>> NullCandidates(const Task& task) {
  const bool is_cuda = task.root.language == Language::kCuda;
  return is_cuda ? cuda::NullCandidates(task) : cpu::NullCandidates(task);
}

}  // namespace coppice::eval
