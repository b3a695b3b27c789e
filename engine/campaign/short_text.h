// Times and failures in a few characters.
#pragma once

#include <string>

#include "store/records/verdict.h"

namespace coppice::engine {

// "2 compile_failed 1 crashed", or "no failures".
std::string FailureText(const VerdictCounts& verdicts);

// Seconds as "0.37 us", "12.5 ms", "3.20 s".
std::string DurationText(double seconds);

// Seconds as "0:07", "1:02:03".
std::string ClockText(double seconds);

}  // namespace coppice::engine
