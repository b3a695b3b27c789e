#include "engine/lab/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>

#include "engine/lab/averages.h"

namespace coppice::lab {
namespace {

// All values in order, and where in it those of each stratum are: how often
// each is drawn then gives the trimmed mean of a resample without sorting it.
struct Ranked {
  std::vector<double> sorted;
  std::vector<std::vector<std::uint32_t>> ranks;  // Of each stratum.
};

Ranked Rank(const Strata& strata) {
  std::vector<std::pair<double, std::size_t>> values;  // With its stratum.
  for (std::size_t s = 0; s < strata.size(); ++s) {
    for (const double value : strata[s]) values.emplace_back(value, s);
  }
  std::sort(values.begin(), values.end());
  Ranked ranked;
  ranked.ranks.resize(strata.size());
  for (const auto& [value, stratum] : values) {
    const auto rank = static_cast<std::uint32_t>(ranked.sorted.size());
    ranked.ranks[stratum].push_back(rank);
    ranked.sorted.push_back(value);
  }
  return ranked;
}

// The mean of the values drawn, without the `cut` least and greatest of them.
double TrimmedMean(const Ranked& ranked, const std::vector<int>& drawn,
                   std::int64_t cut) {
  const auto all = static_cast<std::int64_t>(ranked.sorted.size());
  double sum = 0.0;
  std::int64_t before = 0;
  for (std::size_t rank = 0; rank < drawn.size(); ++rank) {
    const std::int64_t after = before + drawn[rank];
    const std::int64_t kept =
        std::min(after, all - cut) - std::max(before, cut);
    if (kept > 0) sum += static_cast<double>(kept) * ranked.sorted[rank];
    before = after;
  }
  return sum / static_cast<double>(all - 2 * cut);
}

// With the variance that resampling n of them takes away.
Strata Widened(Strata strata) {
  for (std::vector<double>& values : strata) {
    if (values.size() < 2) continue;
    const auto n = static_cast<double>(values.size());
    const double mean = Mean(values);
    for (double& value : values) {
      value = mean + (value - mean) * std::sqrt(n / (n - 1.0));
    }
  }
  return strata;
}

// By linear interpolation between order statistics.
double Quantile(const std::vector<double>& sorted, double p) {
  const double place = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above],
                   place - static_cast<double>(below));
}

// Around `value`: how far resamples are from `centre`, what they are of.
Interval Middle95(std::vector<double> resampled, double centre, double value) {
  std::sort(resampled.begin(), resampled.end());
  const double shift = value - centre;
  return {Quantile(resampled, 0.025) + shift,
          Quantile(resampled, 0.975) + shift};
}

}  // namespace

Estimates Bootstrap(const Strata& strata, RandomStream& stream, int resamples) {
  Estimates estimates;
  {
    const Ranked seen = Rank(strata);
    estimates.mean.value = Mean(seen.sorted);
    estimates.interquartile_mean.value = InterquartileMean(seen.sorted);
  }
  const Ranked ranked = Rank(Widened(strata));
  const bool varies = !ranked.sorted.empty() &&
                      std::ranges::none_of(strata, [](const auto& values) {
                        return values.size() == 1;
                      });
  if (!varies) return estimates;

  const auto cut = static_cast<std::int64_t>(ranked.sorted.size() / 4);
  std::vector<double> means;
  std::vector<double> trimmed;
  std::vector<int> drawn(ranked.sorted.size());
  for (int i = 0; i < resamples; ++i) {
    std::ranges::fill(drawn, 0);
    for (const auto& ranks : ranked.ranks) {
      for (std::size_t draw = 0; draw < ranks.size(); ++draw) {
        ++drawn[ranks[stream.Below(ranks.size())]];
      }
    }
    means.push_back(TrimmedMean(ranked, drawn, 0));
    trimmed.push_back(TrimmedMean(ranked, drawn, cut));
  }
  // Widening leaves the mean where it was.
  estimates.mean.interval = Middle95(std::move(means), 0.0, 0.0);
  estimates.interquartile_mean.interval =
      Middle95(std::move(trimmed), InterquartileMean(ranked.sorted),
               estimates.interquartile_mean.value);
  return estimates;
}

}  // namespace coppice::lab
