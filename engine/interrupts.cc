#include "engine/interrupts.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string_view>

namespace coppice::engine {
namespace {

std::atomic<bool> drain{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void OnSignal(int signal) {
  if (drain.exchange(true)) _exit(128 + signal);
  constexpr std::string_view kNotice =
      "\nstopping: calls are given up, written candidates still measured; "
      "again to stop at once (nothing is lost)\n";
  const int of_interrupted_code = errno;
  // Nothing to be done if stderr is gone.
  [[maybe_unused]] const ssize_t written =
      write(STDERR_FILENO, kNotice.data(), kNotice.size());
  errno = of_interrupted_code;
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

void LeaveInterrupts() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

}  // namespace coppice::engine
