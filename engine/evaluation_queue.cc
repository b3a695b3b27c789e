#include "engine/evaluation_queue.h"

namespace coppice::engine {

EvaluationQueue::Turn EvaluationQueue::Wait(const Task& task,
                                            const Candidate& candidate) {
  std::unique_lock lock(mutex_);
  const std::uint64_t ticket = tickets_++;
  if (serving_ != ticket) {
    lock.unlock();
    evaluator_.Prepare(task, candidate);
    lock.lock();
  }
  next_.wait(lock, [&] { return serving_ == ticket; });
  return Turn(*this);
}

void EvaluationQueue::Next() {
  {
    const std::scoped_lock lock(mutex_);
    ++serving_;
  }
  next_.notify_all();
}

}  // namespace coppice::engine
