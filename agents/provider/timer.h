// Time as couriers need it; the engine's is the real one, tests have another.
#pragma once

#include <atomic>

namespace coppice::agents {

class Timer {
 public:
  virtual ~Timer() = default;

  virtual double Monotonic() const = 0;  // Seconds, from anywhere.

  // Blocks the caller.  Returns early, within 0.1 s, once `cancel`, which may
  // be null, is true.
  virtual void Wait(double seconds, const std::atomic<bool>* cancel) = 0;
};

}  // namespace coppice::agents
