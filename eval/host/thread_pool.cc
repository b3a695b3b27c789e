#include "eval/host/thread_pool.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "eval/host/affinity.h"

namespace coppice::eval {

ThreadPool::ThreadPool(std::size_t others) {
  for (std::size_t i = 0; i < others; ++i) {
    threads_.emplace_back([this] { Serve(); });
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  threads_.clear();  // Joins them, while what they wait on still exists.
}

Result<void> ThreadPool::ForEach(std::size_t count, const Work& work) {
  std::unique_lock lock(mutex_);
  work_ = &work;
  next_ = 0;
  results_.assign(count, {});
  changed_.notify_all();
  Take(lock);
  changed_.wait(lock, [&] { return busy_ == 0; });
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  for (Result<void>& result : results_) TRY_DONE(std::move(result));
  return {};
}

void ThreadPool::Serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return ending_ || next_ < results_.size(); });
    if (ending_) return;
    Take(lock);
  }
}

// What is left, one after the other.
void ThreadPool::Take(std::unique_lock<std::mutex>& lock) {
  while (next_ < results_.size()) {
    const std::size_t i = next_++;
    ++busy_;
    lock.unlock();
    Result<void> result;
    std::exception_ptr thrown;
    try {
      result = (*work_)(i);
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    results_[i] = std::move(result);
    if (thrown) thrown_ = thrown;
    if (--busy_ == 0) changed_.notify_all();
  }
}

std::size_t OtherProcessors() {
  const std::size_t processors = ProcessorsOf(getpid()).size();
  return std::max<std::size_t>(processors, 1) - 1;
}

}  // namespace coppice::eval
