#include "engine/interrupts.h"

#include <unistd.h>

#include <csignal>
#include <string_view>

namespace coppice::engine {
namespace {

std::atomic<bool> drain{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void OnSignal(int signal) {
  if (drain.exchange(true)) _exit(128 + signal);
  constexpr std::string_view kNotice =
      "\nstopping after this attempt; again to stop at once (nothing is "
      "lost)\n";
  // Nothing to be done if stderr is gone.
  if (write(STDERR_FILENO, kNotice.data(), kNotice.size()) < 0) return;
}

}  // namespace

const std::atomic<bool>& WatchInterrupts() {
  struct sigaction action {};
  action.sa_handler = OnSignal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  signal(SIGPIPE, SIG_IGN);
  return drain;
}

}  // namespace coppice::engine
