#include "eval/host/waiting.h"

#include <poll.h>

#include <algorithm>

namespace coppice::eval {

Waited WaitReadable(int fd, const Deadline& patience) {
  using std::chrono::milliseconds;
  while (true) {
    if (Cancelled(patience.cancelled)) return Waited::kCancelled;
    const auto left = std::chrono::ceil<milliseconds>(
        std::max(patience.until - Clock::now(), Clock::duration::zero()));
    pollfd entry{.fd = fd, .events = POLLIN, .revents = 0};
    const auto slice = std::min(left, milliseconds(100));
    if (poll(&entry, 1, static_cast<int>(slice.count())) > 0) {
      return Waited::kReady;
    }
    if (left == milliseconds::zero()) return Waited::kTimedOut;
  }
}

void WatchReadable(int fd, double seconds) {
  const Deadline patience = For(seconds, nullptr);
  pollfd entry{.fd = fd, .events = POLLIN, .revents = 0};
  while (poll(&entry, 1, 0) == 0 && Clock::now() < patience.until) {
  }
}

}  // namespace coppice::eval
