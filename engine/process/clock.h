// The clock and the source of fresh identifiers, passed to whoever needs them.
#pragma once

#include <cstdint>

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

// A version 7 uuid of now and 74 bits from the system's generator.
Uuid FreshUuid(const Clock& clock);

// 64 bits from the system's generator.
std::uint64_t FreshSecret();

}  // namespace coppice::engine
