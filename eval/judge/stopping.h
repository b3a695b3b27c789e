// When enough rounds have been timed.
//
// After nvbench (NVIDIA, "stdrel" criterion): stop when the estimate is quiet
// enough or the time is spent, never before a minimum.  Where it is still off
// by more than 5 % then, there is five times the time.  The estimate is that
// which the speedup rests on (store/records/paired_rounds.h), so that there is
// one notion of noise.
#pragma once

#include <limits>

namespace coppice {
struct WorkloadResult;
}

namespace coppice::eval {

struct TimingBudget {
  int min_rounds;
  int max_rounds;
  double seconds;  // Wall time that is spent on quiet rounds at most.
  double noise;    // Standard error of the log ratio that suffices.
  double batch_s;  // Wall time of the calls that make one sample, at least.
  // Seconds that min_rounds may take; see LeastRounds().
  double long_s = std::numeric_limits<double>::infinity();
};

// min_rounds, unless they take longer than `long_s`: then as many as do not,
// but at least 3.  Rounds that are long by themselves are also quiet by
// themselves.
int LeastRounds(const TimingBudget& budget, double round_s);

// Whether `rounds`, all of one session, suffice.
bool Enough(const WorkloadResult& rounds, double elapsed_s,
            const TimingBudget& budget);

}  // namespace coppice::eval
