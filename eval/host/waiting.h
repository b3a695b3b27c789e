// Waiting for a descriptor, never longer than a deadline and never deaf to a
// cancellation.
#pragma once

#include <atomic>
#include <chrono>

namespace coppice::eval {

using Clock = std::chrono::steady_clock;

inline double Seconds(Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

// Counts from no particular beginning.
inline double SteadySeconds() {
  return Seconds(Clock::now().time_since_epoch());
}

struct Deadline {
  Clock::time_point until;
  const std::atomic<bool>* cancelled = nullptr;  // Not owned; may be null.
};

inline Deadline For(double seconds, const std::atomic<bool>* cancelled) {
  return {Clock::now() + std::chrono::duration_cast<Clock::duration>(
                             std::chrono::duration<double>(seconds)),
          cancelled};
}

inline bool Cancelled(const std::atomic<bool>* cancelled) {
  return cancelled != nullptr && cancelled->load();
}

enum class Waited { kReady, kTimedOut, kCancelled };

// Waits until `fd` is readable or hung up.  Looks at the cancellation at least
// every 0.1 s.
Waited WaitReadable(int fd, const Deadline& patience);

// Until then or for so long, without giving the processor away.
void WatchReadable(int fd, double seconds);

}  // namespace coppice::eval
