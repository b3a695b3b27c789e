#include "engine/process/end_soon.h"

#include <unistd.h>

#include <thread>

namespace coppice::engine {

void EndSoon(std::chrono::milliseconds patience) {
  std::thread([patience] {
    std::this_thread::sleep_for(patience);
    _exit(0);
  }).detach();
}

}  // namespace coppice::engine
