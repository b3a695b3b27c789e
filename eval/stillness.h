// Both together: what disturbs a round on this machine, and what is done then.
#pragma once

#include <string>
#include <utility>

#include "eval/disturbance.h"
#include "eval/lanes.h"
#include "eval/quiet.h"
#include "eval/waiting.h"

namespace coppice::eval {

class Stillness {
 public:
  // What is measured may want so many threads.
  Stillness(QuietOptions options, int threads)
      : disturbance_(ReadSystemText, static_cast<int>(OtherProcessors()) + 1,
                     threads),
        quiet_(std::move(options)) {}

  // About trusted code that is timed.
  void Begin() {
    if (quiet_.wanted()) disturbance_.Begin(Now());
  }
  void End() {
    if (!quiet_.wanted()) return;
    std::string what = disturbance_.Lap(Now());
    if (what_.empty()) what_ = std::move(what);
  }

  // After a round: as Quiet has it.
  bool Again(double round_s) {
    return quiet_.Again(std::exchange(what_, ""), round_s);
  }

 private:
  static double Now() { return Seconds(Clock::now().time_since_epoch()); }

  Disturbance disturbance_;
  Quiet quiet_;
  std::string what_;  // Disturbed the round at hand.
};

}  // namespace coppice::eval
