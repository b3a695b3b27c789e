#include "eval/host/wakefulness.h"

#include <sched.h>

#include <cstddef>
#include <stop_token>

namespace coppice::eval {
namespace {

constexpr int kPauses = 16;  // About a microsecond.

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

void StayAwakeOn(const std::stop_token& stopped, int processor) {
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(static_cast<std::size_t>(processor), &only);
  const sched_param none{};
  // Elsewhere, or before others, it would disturb.
  if (sched_setaffinity(0, sizeof only, &only) != 0 ||
      sched_setscheduler(0, SCHED_IDLE, &none) != 0) {
    return;
  }
  while (!stopped.stop_requested()) {
    // When several threads wake at a time, the last would otherwise wait for
    // the end of this one's turn, which is milliseconds away.
    sched_yield();
    // A core may be shared with another processor.
    for (int i = 0; i < kPauses; ++i) Pause();
  }
}

}  // namespace

Wakefulness::Wakefulness(const std::vector<int>& processors) {
  for (const int processor : processors) {
    threads_.emplace_back(StayAwakeOn, processor);
  }
}

}  // namespace coppice::eval
