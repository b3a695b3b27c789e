// For tests: times that do not pass, and those that do.
#pragma once

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include "agents/provider/timer.h"

namespace coppice::agents {

// A wait moves the clock and takes no time.  Threads may share it.
class FakeTimer final : public Timer {
 public:
  double Monotonic() const override {
    const std::lock_guard lock(mutex_);
    return now_s_;
  }

  void Wait(double seconds, const std::atomic<bool>*) override {
    {
      const std::lock_guard lock(mutex_);
      now_s_ += seconds;
      waits_s_.push_back(seconds);
    }
    std::this_thread::yield();
  }

  void Advance(double seconds) {
    const std::lock_guard lock(mutex_);
    now_s_ += seconds;
  }

  std::vector<double> Waits() const {
    const std::lock_guard lock(mutex_);
    return waits_s_;
  }

 private:
  mutable std::mutex mutex_;
  double now_s_ = 1000;
  std::vector<double> waits_s_;
};

class RealTimer final : public Timer {
 public:
  double Monotonic() const override {
    return std::chrono::duration<double>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

  void Wait(double seconds, const std::atomic<bool>* cancel) override {
    const double end_s = Monotonic() + seconds;
    for (double now_s = Monotonic(); now_s < end_s; now_s = Monotonic()) {
      if (cancel != nullptr && cancel->load()) return;
      std::this_thread::sleep_for(
          std::chrono::duration<double>(std::min(end_s - now_s, 0.05)));
    }
  }
};

}  // namespace coppice::agents
