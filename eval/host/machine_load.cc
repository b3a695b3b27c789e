#include "eval/host/machine_load.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace coppice::eval {
namespace {

constexpr double kFirstPause = 0.002;
// A machine that sleeps for longer is slow when it wakes up, most of all a
// virtual one, whose host gives its processors to others meanwhile.
constexpr double kLongestPause = 0.005;
constexpr double kPauseGrowth = 1.5;
constexpr double kToldAfter = 1.0;  // Seconds.
constexpr int kQuietAgain = 8;      // Rounds that end a busy time.

void Sleep(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

}  // namespace

MachineLoad::MachineLoad(MachineLoadOptions options,
                         std::function<void(double)> pause)
    : options_(std::move(options)),
      pause_(std::move(pause)),
      pause_s_(kFirstPause) {}

MachineLoad::MachineLoad(MachineLoadOptions options)
    : MachineLoad(std::move(options), Sleep) {}

bool MachineLoad::Again(const std::string& what, double round_s) {
  const bool has_room = waited_s_ < options_.most_s;
  if (what.empty()) {
    pause_s_ = kFirstPause;
    if (++quiet_rounds_ >= kQuietAgain) waited_s_ = 0.0;
  } else {
    quiet_rounds_ = 0;
  }
  if (has_told_ && (what.empty() || !has_room)) {
    if (options_.goes_on) options_.goes_on();
    has_told_ = false;
  }
  if (what.empty() || !has_room) return false;
  pause_(pause_s_);
  waited_s_ += round_s + pause_s_;
  pause_s_ = std::min(kPauseGrowth * pause_s_, kLongestPause);
  if (waited_s_ > kToldAfter && options_.waits) {
    has_told_ = true;
    if (!options_.waits(what)) waited_s_ = options_.most_s;
  }
  return true;
}

}  // namespace coppice::eval
