// Rounds beside which something else used the machine are made again, and a
// machine that goes on like that is waited for: up to a limit, after which what
// comes is measured, and the interval says how unsure it is.
//
// The limit is of a busy time as a whole and not of an evaluation: a machine
// that is always busy is waited for once.
#pragma once

#include <functional>
#include <string>

namespace coppice::eval {

struct MachineLoadOptions {
  double most_s = 0.0;  // 0: nothing is made again.
  // Told again and again while it is waited; false: no longer.  And once when
  // that is over.
  std::function<bool(const std::string& what)> waits{};
  std::function<void()> goes_on{};
};

class MachineLoad {
 public:
  // `pause` sleeps for so many seconds.
  MachineLoad(MachineLoadOptions options,
              std::function<void(double seconds)> pause);
  explicit MachineLoad(MachineLoadOptions options);

  bool wanted() const { return options_.most_s > 0.0; }

  // After a round of `round_s` seconds that was disturbed by `what`, if that
  // is not empty: whether it is to be made again, now.  Waits before.
  bool Again(const std::string& what, double round_s);

 private:
  MachineLoadOptions options_;
  std::function<void(double)> pause_;
  double pause_s_;
  double waited_s_ = 0.0;  // Of the busy time, with what was made in vain.
  int quiet_rounds_ = 0;   // In a row.
  bool has_told_ = false;
};

}  // namespace coppice::eval
