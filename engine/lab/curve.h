// How good a campaign was after it had spent so much.
#pragma once

#include <vector>

namespace coppice::lab {

// The best log speedup rose to this once so much was spent, in the unit of the
// comparison's budget.
struct Rise {
  double spent = 0.0;
  double log_speedup = 0.0;
};

// Rises in the order that they happened.  Before the first the root is the
// best: log speedup 0.
using Curve = std::vector<Rise>;

double ValueAt(const Curve& curve, double spent);

// Where to look at curves up to `budget`: of a whole number, all of 1, 2, 3,
// ... if they are at most `most`; otherwise about that many numbers, each by
// the same factor greater than the last (rounded, if whole is asked for).
enum class Unit { kWhole, kReal };
std::vector<double> Checkpoints(double budget, Unit unit, int most = 60);

}  // namespace coppice::lab
