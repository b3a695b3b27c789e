// Threads that do the same work on different things side by side: workloads
// of a candidate are checked on all processors, while nothing is timed.
//
// A sandboxed process dies with the thread that started it, so these threads
// live as long as the object and not only as long as the work.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "store/records/result.h"

namespace coppice::eval {

class ThreadPool {
 public:
  using Work = std::function<Result<void>(std::size_t)>;

  // Threads beside the caller's.  0: all work is done by the caller.
  explicit ThreadPool(std::size_t others);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // Calls `work` with each of [0, count), begun in this order, and returns when
  // all have returned: the first error in this order, if any, or else an
  // exception that one has thrown.  One call at a time.
  Result<void> ForEach(std::size_t count, const Work& work);

 private:
  void Serve();
  void Take(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable changed_;
  const Work* work_ = nullptr;
  std::vector<Result<void>> results_;
  std::size_t next_ = 0;
  std::size_t busy_ = 0;  // Calls that have not returned.
  std::exception_ptr thrown_;
  bool ending_ = false;
  std::vector<std::jthread> threads_;
};

// Those that we may use, but for the caller's one.
std::size_t OtherProcessors();

}  // namespace coppice::eval
