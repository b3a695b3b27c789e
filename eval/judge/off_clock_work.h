// What a device does for a candidate while no clock of a call's runs.
//
// Kernels that a call has left behind go on after it, and one that waits for
// the next inputs may begin before its call.  A call's own clock does not see
// that; one that runs from before the inputs are put in sight until the results
// are taken away does, less exactly.  Both are the evaluator's.  What is left
// for the root's turn slows the root, and anything else that the device is
// given then (eval/torch/device_contention.py).
#pragma once

#include <cstddef>
#include <vector>

#include "eval/judge/call_channel.h"

namespace coppice::eval {

// What one side's timed requests came to, by all clocks; as Timing has them.
struct TimingSeries {
  std::vector<double> call_s{};
  std::vector<double> whole_s{};
  std::vector<double> device_s{};
  std::vector<double> after_s{};
  std::vector<double> device_contention{};
  double most_after_s = 0.0;

  void Add(const Timing& timing);

  // What each whole has beyond its call.
  std::vector<double> Beyond() const;

  // The calls from..from + count - 1.
  TimingSeries Part(std::size_t from, std::size_t count) const;
};

// What a candidate's median whole has beyond its median call, less the median
// of what the root's wholes have beyond their calls.  0 if that is no more than
// may be noise: 5 % of the call, 2 us, and what half of the root's spread by.
double HiddenSeconds(const TimingSeries& own, const TimingSeries& root);

// How much longer a stamp waits behind the candidate's calls than behind the
// root's; 0 if that is less than 0.5 us.
double SecondsAfter(const TimingSeries& own, const TimingSeries& root);

// Whether nearly all of its stamps waited for longer than nearly all of the
// root's, and by more than is honest: it works where a stamp does not see it.
bool WorksAfter(const TimingSeries& own, const TimingSeries& root);

// By Timing::device_contention of each of the root's requests: whether the
// device did something else, too, in a quarter of them, or in the only one.
// Then the root is slower than it should be, and what it takes beyond its calls
// is no measure.
bool IsContended(std::vector<double> device_contention);

// Whether a candidate's events, which are in its reach, tell no less than the
// evaluator's clock does of the same call, or of the median one if that is
// shorter.  That clock is less exact for single calls: by how much is known
// from the root's, whose events are honest.  A fifth less, and twice what half
// of the root's calls spread by or 10 us, is noise; and so is a tenth of the
// calls.
bool EventsAgree(const TimingSeries& own, const TimingSeries& root);

}  // namespace coppice::eval
