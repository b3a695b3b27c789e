// What disturbs a round on this machine, and what is done then, together.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "eval/host/disturbance.h"
#include "eval/host/machine_load.h"
#include "eval/host/waiting.h"

namespace coppice::eval {

class TimingStability {
 public:
  // For code that runs on processors, and may want so many threads.
  TimingStability(MachineLoadOptions options, int threads)
      : disturbance_(std::in_place, ReadSystemText, ProcessorsHere(threads)),
        quiet_(std::move(options)) {}

  // For code that runs elsewhere: whoever sees a disturbance tells it.
  explicit TimingStability(MachineLoad quiet) : quiet_(std::move(quiet)) {}

  // About trusted code that is timed.
  void Begin() {
    if (IsLooking()) disturbance_->Begin(SteadySeconds());
  }
  void End() {
    if (!IsLooking()) return;
    std::string what = disturbance_->Lap(SteadySeconds());
    if (what_.empty()) what_ = std::move(what);
  }

  // Before a round: what was seen belongs to one that came to nothing.
  void Forget() { what_.clear(); }

  // After a round that was disturbed by what was seen, or by `told`: as
  // MachineLoad has it.
  bool Again(const std::string& told, double round_s) {
    const std::string seen = std::exchange(what_, "");
    return quiet_.Again(seen.empty() ? told : seen, round_s);
  }

 private:
  bool IsLooking() const { return disturbance_ && quiet_.wanted(); }

  std::optional<Disturbance> disturbance_;
  MachineLoad quiet_;
  std::string what_;  // Disturbed the round at hand.
};

}  // namespace coppice::eval
