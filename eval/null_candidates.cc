#include "eval/null_candidates.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "eval/cpu/null_candidates.h"
#include "eval/cuda/null_candidates.h"

namespace coppice::eval {
namespace {

// The mean of one number is that number, and so is its first half twice.
constexpr std::string_view kNeedTwoElements[] = {"the mean of the right output",
                                                 "the first half twice"};

}  // namespace

Result<std::vector<NullCandidate>> NullCandidates(const Task& task) {
  const bool is_cuda = task.root.language == Language::kCuda;
  TRY(nulls, is_cuda ? cuda::NullCandidates(task) : cpu::NullCandidates(task));
  for (NullCandidate& null : nulls) {
    const bool needs_two = std::ranges::find(kNeedTwoElements, null.name) !=
                           std::end(kNeedTwoElements);
    if (needs_two) null.least_elements = 2;
  }
  return nulls;
}

}  // namespace coppice::eval
