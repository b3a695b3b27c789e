#include "eval/sandbox/wait_limits.h"

#include <algorithm>

#include "eval/host/affinity.h"

namespace coppice::eval {
namespace {

constexpr double kGlanceSeconds = 0.01;

}  // namespace

Attended Attend(int socket, pid_t process, const Deadline& patience) {
  while (true) {
    Deadline glance = For(kGlanceSeconds, patience.cancelled);
    glance.until = std::min(glance.until, patience.until);
    switch (WaitReadable(socket, glance)) {
      case Waited::kReady:
        return Attended::kReady;
      case Waited::kCancelled:
        return Attended::kCancelled;
      case Waited::kTimedOut:
        break;
    }
    if (CountThreadsOf(process) > kThreadLimit) {
      return Attended::kTooManyThreads;
    }
    if (Clock::now() >= patience.until) return Attended::kTimedOut;
  }
}

std::string TooManyThreadsText() {
  return "it has more than " + std::to_string(kThreadLimit) + " threads";
}

}  // namespace coppice::eval
