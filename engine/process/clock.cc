#include "engine/process/clock.h"

#include <sys/random.h>

#include <chrono>
#include <cstdlib>

namespace coppice::engine {
namespace {

template <class C>
double SecondsOf(C now) {
  return std::chrono::duration<double>(now.time_since_epoch()).count();
}

}  // namespace

double SystemClock::UnixSeconds() const {
  return SecondsOf(std::chrono::system_clock::now());
}

double SystemClock::Monotonic() const {
  return SecondsOf(std::chrono::steady_clock::now());
}

std::uint64_t FreshSecret() {
  std::uint64_t bits = 0;
  // Up to 256 bytes, once the pool is initialised, getrandom cannot be short.
  if (getrandom(&bits, sizeof bits, 0) != sizeof bits) std::abort();
  return bits;
}

Uuid FreshUuid(const Clock& clock) {
  const auto unix_ms = static_cast<std::uint64_t>(clock.UnixSeconds() * 1e3);
  return MakeUuidV7(unix_ms, FreshSecret(), FreshSecret());
}

}  // namespace coppice::engine
