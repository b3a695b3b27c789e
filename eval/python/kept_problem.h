// A problem's process between its description and its judging: it takes seconds
// to start.
#pragma once

#include <memory>
#include <utility>

#include "eval/python/problem.h"

namespace coppice::eval::python {

// Keeps no more than one.  Not for several threads at once.
class KeptProblem {
 public:
  void Keep(std::unique_ptr<Problem> problem) { kept_ = std::move(problem); }

  // Gives it away if it is that one but for its parameters, null otherwise.
  std::unique_ptr<Problem> Take(const ProblemOptions& wanted) {
    const bool is_it = kept_ != nullptr && kept_->IsOf(wanted);
    return is_it ? std::move(kept_) : nullptr;
  }

 private:
  std::unique_ptr<Problem> kept_;
};

}  // namespace coppice::eval::python
