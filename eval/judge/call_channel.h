// How the judge reaches code that is measured: root and candidate, side by side
// on one workload, wherever they run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "store/records/outcome.h"
#include "store/records/result.h"

namespace coppice::eval {

// The control is the root once more, in another process where a channel has
// one.
enum class Side : std::uint8_t { kRoot, kCandidate, kControl };

// As many calls as are timed together, or as few as are enough to be checked.
enum class CallCount : std::uint8_t { kFew, kTimed };

struct InputsWanted {
  CallCount calls = CallCount::kTimed;
  // 0: plain ones.  Otherwise one of the adversarial kinds, from 1 on, is
  // among them.
  std::uint32_t kind = 0;
  // The seed of a published protocol.  None: inputs that nobody has seen.
  std::optional<std::uint64_t> seed{};
};

// What one request's calls took, by every clock that there is.
struct Timing : Outcome {
  std::uint32_t calls = 1;  // Made by the request.
  // Seconds of one of them, as they count.
  double call_s = 0.0;
  // By the evaluator's own clock, of all calls together.
  double wall_s = 0.0;
  // The time of all calls on all threads and processors, by the kernel's
  // account.
  std::optional<double> cpu_s{};
  // One call by the device's events, which a candidate may reach; 0: there are
  // none.
  double device_s = 0.0;
  // One call with what the device does for it before and after, less what that
  // takes by itself; 0: it is not known.
  double whole_s = 0.0;
  // How long a stamp behind the call waited for the device, and how much longer
  // than behind the root is honest; 0: nobody looked.
  double after_s = 0.0;
  double most_after_s = 0.0;
  double clock_hz = 0.0;  // Of what computed; 0: it is not known.
  // How many times as long as alone the device took beside it; 0: nobody
  // looked.
  double device_contention = 0.0;
  // Why this is no measure: another round may be.  Who is slow gains nothing
  // by it.
  std::string unsettled{};
  // What disturbed it, and is no fault of anybody's.
  std::string disturbed{};
  // From now on it is timed in another way, to which what was taken before
  // compares in no way.
  bool begins_anew = false;
  std::string remark{};  // How it was called, for the log.
};

// The verdict on a candidate's outputs, by what is right.
struct Judgement : Outcome {
  double worst_error_ratio = 0.0;  // As WorkloadResult has them.
  double max_absolute_error = 0.0;
  double max_relative_error = 0.0;
  std::uint32_t calls = 1;   // Those that were looked at.
  std::string on = "plain";  // The inputs of the worst error.
};

// One candidate on one workload.  Errors are ours, or the task's; what a
// candidate does is in an outcome, and after any but kPassed nothing more is
// asked; but for a judgement that its outputs are wrong, after which it may be
// filled and called for a hint (store/records/hint.h) without comparing.
class CallChannel {
 public:
  virtual ~CallChannel() = default;

  // Loads the candidate in a process that has seen nothing.
  virtual Result<Outcome> Load() = 0;

  // Puts inputs before both sides, and poison where their outputs go.  The
  // candidate sees nothing of them before it is called.
  virtual Result<Outcome> Fill(const InputsWanted& wanted) = 0;

  // Calls a side on them.  The clock runs from before the inputs are in its
  // sight until its outputs are there.
  virtual Result<Timing> Call(Side side) = 0;

  // What the candidate's calls on these inputs left.  REQUIRES: it was called,
  // and the root where its outputs are what is right.
  virtual Result<Judgement> Compare() = 0;
};

}  // namespace coppice::eval
