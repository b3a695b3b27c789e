#include "engine/evaluation_queue.h"

namespace coppice::engine {

Result<Evaluation> EvaluationQueue::Evaluate(const Task& task,
                                             const Candidate& candidate,
                                             Tier tier) {
  {
    std::unique_lock lock(mutex_);
    const std::uint64_t ticket = tickets_++;
    next_.wait(lock, [&] { return serving_ == ticket; });
  }
  auto evaluation = evaluator_.Evaluate(task, candidate, tier);
  {
    const std::lock_guard lock(mutex_);
    ++serving_;
  }
  next_.notify_all();
  return evaluation;
}

}  // namespace coppice::engine
