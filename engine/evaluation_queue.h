// Evaluations of attempts that run at the same time, one after the other: a
// device can only be measured on alone.  Who came first is served first, so no
// attempt starves.  Who waits has its candidate prepared meanwhile.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "eval/evaluator.h"

namespace coppice::engine {

class EvaluationQueue final : public eval::Evaluator {
 public:
  // `evaluator` is not owned.
  explicit EvaluationQueue(eval::Evaluator& evaluator)
      : evaluator_(evaluator) {}

  // Waits for its turn.  May be called from several threads at once.
  Result<Evaluation> Evaluate(const Task& task, const Candidate& candidate,
                              Tier tier) override;
  void Prepare(const Task& task, const Candidate& candidate) override;

 private:
  eval::Evaluator& evaluator_;
  std::mutex mutex_;
  std::condition_variable next_;
  std::uint64_t tickets_ = 0;  // Given out; guarded by mutex_, as is
  std::uint64_t serving_ = 0;  // the one whose turn it is.
};

}  // namespace coppice::engine
