#include "engine/process/interrupts.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string_view>

#include "agents/provider/child.h"

namespace coppice::engine {
namespace {

std::atomic<bool> drain{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void OnSignal(int signal) {
  if (drain.exchange(true)) {
    agents::KillCommands();
    _exit(128 + signal);
  }
  constexpr std::string_view kNotice =
      "\nstopping: calls are given up, written candidates still measured; "
      "again to stop at once (nothing is lost)\n";
  const int of_interrupted_code = errno;
  // Nothing to be done if stderr is gone.
  [[maybe_unused]] const ssize_t written =
      write(STDERR_FILENO, kNotice.data(), kNotice.size());
  errno = of_interrupted_code;
}

constexpr int kWatched[] = {SIGINT, SIGTERM, SIGHUP};

}  // namespace

const std::atomic<bool>& WatchInterrupts() {
  struct sigaction action {};
  action.sa_handler = OnSignal;
  action.sa_flags = SA_RESTART;
  for (const int watched : kWatched) {
    struct sigaction before {};
    sigaction(watched, nullptr, &before);
    // nohup(1) has it so: the end of the terminal is not ours.
    if (watched == SIGHUP && before.sa_handler == SIG_IGN) continue;
    sigaction(watched, &action, nullptr);
  }
  signal(SIGPIPE, SIG_IGN);
  return drain;
}

bool WasInterrupted() { return drain.load(); }

void LeaveInterrupts() {
  for (const int watched : kWatched) {
    struct sigaction now {};
    sigaction(watched, nullptr, &now);
    if (now.sa_handler == OnSignal) std::signal(watched, SIG_DFL);
  }
}

}  // namespace coppice::engine
