// What a device does for a candidate while that is stopped, and what it is said
// to have taken.
//
// Kernels that a call has left behind go on after it, and one that waits for
// the next inputs may begin before its call.  A call's own clock does not see
// that; one that runs from before the inputs are put in sight until the results
// are taken away does, less exactly.  Both of the evaluator.  What is left for
// the root's turn slows the root, and anything else that the device is given
// then (crowding.py).
#pragma once

#include <cstddef>
#include <vector>

namespace coppice::eval::python {

// By all clocks, in seconds: a call, the whole less what that takes without
// any, and a call by the device's events.
struct Told {
  std::vector<double> call_s{};
  std::vector<double> whole_s{};   // As many; all 0 where it is not known.
  std::vector<double> device_s{};  // As many; 0 where there are no events.

  // Of each whole, what is beyond its call.
  std::vector<double> Beyond() const;

  // The calls from..from + count - 1.
  Told Part(std::size_t from, std::size_t count) const;
};

// What a candidate's median whole has beyond its median call, less the median
// of what the root's wholes have beyond their calls.  0 if that is no more than
// may be noise: 5 % of the call, 2 us, and what half of the root's spread by.
double HiddenSeconds(const Told& own, const Told& root);

// By Problem::Crowding() before or after each of the root's requests: whether
// the device did something else, too, in a quarter of them, or in the only one.
// Then the root is slower than it should be, and what it takes beyond its calls
// is no measure.
bool IsCrowded(std::vector<double> crowding);

// Whether a candidate's events, which are in its reach, tell no less than the
// evaluator's clock does of the same call, or of the median one if that is
// shorter.  That clock is less exact for single calls: by how much is known
// from the root's, whose events are honest.  A fifth less, and twice what half
// of the root's calls spread by or 10 us, is noise; and so is a tenth of the
// calls.
bool EventsAgree(const Told& own, const Told& root);

}  // namespace coppice::eval::python
