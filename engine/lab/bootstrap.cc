#include "engine/lab/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>

#include "engine/lab/averages.h"
#include "engine/lab/power.h"
#include "store/records/paired_rounds.h"

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
  std::size_t first = 0;
  std::int64_t off_first = cut;  // What is left to cut, as
  for (; drawn[first] <= off_first; ++first) off_first -= drawn[first];
  std::size_t last = drawn.size() - 1;
  std::int64_t off_last = cut;  // this is.
  for (; drawn[last] <= off_last; --last) off_last -= drawn[last];
  double sum = -static_cast<double>(off_first) * ranked.sorted[first] -
               static_cast<double>(off_last) * ranked.sorted[last];
  for (std::size_t rank = first; rank <= last; ++rank) {
    sum += drawn[rank] * ranked.sorted[rank];
  }
  const auto all = static_cast<std::int64_t>(ranked.sorted.size());
  return sum / static_cast<double>(all - 2 * cut);
}

// Calls `draw` n times with a number below n; two to a word of random bits,
// so that some numbers are likelier than others by a share of n / 2^32.
void DrawAsMany(std::size_t n, RandomStream& stream, const auto& draw) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < n; ++i, bits >>= 32) {
    if (i % 2 == 0) bits = stream.NextU64();
    draw(static_cast<std::size_t>((bits & 0xffffffff) * n >> 32));
  }
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

// Interpolates linearly between order statistics.
double Quantile(const std::vector<double>& sorted, double p) {
  const double place = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above],
                   place - static_cast<double>(below));
}

}  // namespace

IntervalEstimate BootstrapInterquartileMean(const Strata& strata,
                                            RandomStream& stream,
                                            int resamples) {
  IntervalEstimate estimate{InterquartileMean(Rank(strata).sorted),
                            std::nullopt};
  const auto freedom = DegreesOfFreedom(strata);
  if (!freedom) return estimate;
  const Ranked ranked = Rank(Widened(strata));
  const auto cut = static_cast<std::int64_t>(ranked.sorted.size() / 4);
  std::vector<double> trimmed;
  std::vector<int> drawn(ranked.sorted.size());
  for (int i = 0; i < resamples; ++i) {
    std::ranges::fill(drawn, 0);
    for (const auto& ranks : ranked.ranks) {
      DrawAsMany(ranks.size(), stream,
                 [&](std::size_t draw) { ++drawn[ranks[draw]]; });
    }
    trimmed.push_back(TrimmedMean(ranked, drawn, cut));
  }
  std::sort(trimmed.begin(), trimmed.end());
  const double centre = InterquartileMean(ranked.sorted);
  const double stretch =
      StudentPoint(*freedom) / UpperQuantile(kSignificance / 2.0);
  estimate.interval = {
      estimate.value + stretch * (Quantile(trimmed, 0.025) - centre),
      estimate.value + stretch * (Quantile(trimmed, 0.975) - centre)};
  return estimate;
}

}  // namespace coppice::lab
