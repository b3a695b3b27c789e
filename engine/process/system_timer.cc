#include "engine/process/system_timer.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "engine/process/clock.h"

namespace coppice::engine {

double SystemTimer::Monotonic() const { return clock_.Monotonic(); }

void SystemTimer::Wait(double seconds, const std::atomic<bool>* cancel) {
  constexpr double kGlance = 0.05;  // Seconds between looks at `cancel`.
  const double end_s = clock_.Monotonic() + seconds;
  while (cancel == nullptr || !cancel->load()) {
    const double left_s = end_s - clock_.Monotonic();
    if (left_s <= 0) return;
    std::this_thread::sleep_for(
        std::chrono::duration<double>(std::min(left_s, kGlance)));
  }
}

}  // namespace coppice::engine
