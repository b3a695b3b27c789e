// What judging a candidate of a recorded space takes, by what was recorded.
//
// A configuration is compiled, and run as often as Kernel Tuner does: 32 times.
// The tables have no times of compiling.  Where they are from, their medians
// are 0.035 to 2.3 s by space, and the median of these is 0.2 s; what did not
// compile took as long.
#pragma once

#include "search/landscapes/simulation.h"

namespace coppice::search {

inline constexpr double kCompile_s = 0.2;
inline constexpr double kRuns = 32.0;

// One that does not compile is not run, and one that is wrong once: for as long
// as its plan would take.
double EvaluationSeconds(Verdict verdict, double runtime_s);

// The same for the point's kernel or plan, where the root takes so long.
double EvaluationSeconds(const Point& point, double root_runtime_s);

}  // namespace coppice::search
