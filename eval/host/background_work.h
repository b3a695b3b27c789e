// Work that may be done beside checks but never beside timed calls:
// compilations of candidates whose turn to be evaluated is yet to come.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>

namespace coppice::eval {

class BackgroundWork {
 public:
  // Does so many at a time.  REQUIRES: limit > 0.
  explicit BackgroundWork(std::size_t limit) : limit_(limit) {}

  // Waits for room and for silence to end, then works, in this thread.
  void Do(const std::function<void()>& work);

  // As long as it lives, no work is done.  Waits for what is being done;
  // nothing new begins meanwhile, so it will not wait for long.
  class Silence {
   public:
    explicit Silence(BackgroundWork& side);
    ~Silence();
    Silence(const Silence&) = delete;
    Silence& operator=(const Silence&) = delete;

   private:
    BackgroundWork& side_;
  };

 private:
  const std::size_t limit_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t working_ = 0;   // Guarded by mutex_, as is
  std::size_t silences_ = 0;  // how many are wanted or kept.
};

}  // namespace coppice::eval
