#include "eval/stopping.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "store/records/paired_rounds.h"

namespace coppice::eval {
namespace {

// On a busy machine more rounds are all that helps.
constexpr double kLoud = 0.05;    // Standard error of the log ratio.
constexpr double kOverrun = 5.0;  // Times the budget, which it then may take.

}  // namespace

double MedianNoise(std::vector<double> samples) {
  if (samples.size() < 4) return std::numeric_limits<double>::infinity();
  const double median = Median(samples);
  std::ranges::sort(samples);
  // Percentile p has rank round(p (n - 1)), as in nvbench.
  const auto last = static_cast<double>(samples.size() - 1);
  const auto rank = [&](double p) {
    return static_cast<std::size_t>(std::lround(p * last));
  };
  const double iqr = samples[rank(0.75)] - samples[rank(0.25)];
  const double sigma = iqr / 1.349;
  return 1.2533 * sigma / std::sqrt(last + 1.0) / median;
}

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
