// The clock and the source of fresh identifiers, passed to whoever needs them.
#pragma once

#include "agents/provider/timer.h"
#include "store/records/uuid.h"

namespace coppice::engine {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual double UnixSeconds() const = 0;
  // Measures durations: it is never set back.
  virtual double Monotonic() const = 0;
};

class SystemClock final : public Clock {
 public:
  double UnixSeconds() const override;
  double Monotonic() const override;
};

// The time of models that retry, by a clock that outlives it.
class SystemTimer final : public agents::Timer {
 public:
  explicit SystemTimer(const Clock& clock) : clock_(clock) {}

  double Monotonic() const override;
  void Wait(double seconds, const std::atomic<bool>* cancel) override;

 private:
  const Clock& clock_;
};

// A version 7 uuid of now and 74 bits from the system's generator.
Uuid FreshUuid(const Clock& clock);

// 64 bits from the system's generator.
std::uint64_t FreshSecret();

}  // namespace coppice::engine
