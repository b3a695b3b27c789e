// The time of models that retry.
#pragma once

#include <atomic>

#include "agents/provider/timer.h"

namespace coppice::engine {

class Clock;

// By a clock that outlives it.
class SystemTimer final : public agents::Timer {
 public:
  explicit SystemTimer(const Clock& clock) : clock_(clock) {}

  double Monotonic() const override;
  void Wait(double seconds, const std::atomic<bool>* cancel) override;

 private:
  const Clock& clock_;
};

}  // namespace coppice::engine
