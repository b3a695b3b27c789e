// What is known of a task beforehand, against which scores are told.
//
// Spaces differ in how much there is to gain: a mean of log speedups is that of
// the deepest.  Where every configuration was measured, the fastest one and
// what random search finds are known exactly, and scores can be told by these.
#pragma once

#include <map>
#include <optional>
#include <string>

namespace coppice::lab {

struct Reference {
  double optimum = 0.0;  // Log speedup of the fastest kernel that there is.
  double random = 0.0;  // What random search has within the budget, on average.
};

// References by task.  Nothing is known of a task without one.
using References = std::map<std::string, Reference>;

// ln(root / found) / ln(root / fastest): 0 is the root, 1 the fastest.  None if
// the root is the fastest: there is nothing to share.  What noise puts beyond
// the fastest counts as 1, here and below.
std::optional<double> ShareOfOptimum(double log_speedup,
                                     const Reference& reference);

// 0 is what random search has, 1 the fastest: the score of Willemsen et al.
// 2024, "A methodology for comparing auto-tuning optimization algorithms", of
// log speedups.  None where random search comes to 95 % of the fastest or more:
// what is left there tells nothing.
inline constexpr double kRandomIsEnough = 0.95;
std::optional<double> ScoreOverRandom(double log_speedup,
                                      const Reference& reference);

}  // namespace coppice::lab
