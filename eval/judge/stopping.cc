#include "eval/judge/stopping.h"

#include <algorithm>
#include <cmath>

#include "store/records/paired_rounds.h"

namespace coppice::eval {
namespace {

// On a busy machine more rounds are all that helps.
constexpr double kLoud = 0.05;    // Standard error of the log ratio.
constexpr double kOverrun = 5.0;  // Times the budget, which it then may take.

}  // namespace

int LeastRounds(const TimingBudget& budget, double round_s) {
  const double affordable = std::floor(budget.long_s / round_s);
  if (affordable >= budget.min_rounds) return budget.min_rounds;
  return std::max(3, static_cast<int>(affordable));
}

bool Enough(const WorkloadResult& rounds, double elapsed_s,
            const TimingBudget& budget) {
  const int count = static_cast<int>(rounds.samples_s.size());
  if (count < budget.min_rounds) return false;
  if (count >= budget.max_rounds || elapsed_s >= kOverrun * budget.seconds) {
    return true;
  }
  const auto ratio = TrimmedMean(LogRatios(rounds).front());
  if (!ratio) return false;
  // A candidate that is beyond doubt slower needs no finer number.
  if (ratio->mean < -std::log(3.0)) return true;
  return std::sqrt(ratio->variance) <
         (elapsed_s < budget.seconds ? budget.noise : kLoud);
}

}  // namespace coppice::eval
