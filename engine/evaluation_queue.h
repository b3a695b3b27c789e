// Attempts that run at the same time take turns at the evaluator: a device can
// only be measured on alone.  Who came first is served first, so no attempt
// starves, and keeps its turn for its proof, so that the next one already
// meets the new best.  Who waits has its candidate prepared meanwhile.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "eval/evaluator.h"

namespace coppice::engine {

class EvaluationQueue {
 public:
  // `evaluator` is not owned.
  explicit EvaluationQueue(eval::Evaluator& evaluator)
      : evaluator_(evaluator) {}

  // Ends with its life.
  class Turn {
   public:
    ~Turn() { queue_.Next(); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    eval::Evaluator& evaluator() const { return queue_.evaluator_; }

   private:
    friend class EvaluationQueue;
    explicit Turn(EvaluationQueue& queue) : queue_(queue) {}
    EvaluationQueue& queue_;
  };

  // May be called from several threads at once.
  Turn Wait(const Task& task, const Candidate& candidate);

 private:
  void Next();

  eval::Evaluator& evaluator_;
  std::mutex mutex_;
  std::condition_variable next_;
  std::uint64_t tickets_ = 0;  // Given out; guarded by mutex_, as is
  std::uint64_t serving_ = 0;  // the one whose turn it is.
};

}  // namespace coppice::engine
