#include "engine/evaluation_queue.h"

namespace coppice::engine {

Result<Evaluation> EvaluationQueue::Evaluate(const Task& task,
                                             const Candidate& candidate,
                                             Tier tier) {
  std::unique_lock lock(mutex_);
  const std::uint64_t ticket = tickets_++;
  if (serving_ != ticket) {
    lock.unlock();
    evaluator_.Prepare(task, candidate);
    lock.lock();
  }
  next_.wait(lock, [&] { return serving_ == ticket; });
  lock.unlock();
  auto evaluation = evaluator_.Evaluate(task, candidate, tier);
  lock.lock();
  ++serving_;
  lock.unlock();
  next_.notify_all();
  return evaluation;
}

void EvaluationQueue::Prepare(const Task& task, const Candidate& candidate) {
  evaluator_.Prepare(task, candidate);
}

}  // namespace coppice::engine
