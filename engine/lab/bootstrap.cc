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

// Whether resampling could show by how much.
bool Varies(const Strata& strata) {
  return !strata.empty() &&
         std::ranges::none_of(
             strata, [](const auto& values) { return values.size() < 2; });
}

}  // namespace

Estimate BootstrapMean(const Strata& strata, RandomStream& stream,
                       int resamples) {
  std::vector<double> all;
  for (const auto& values : strata) {
    all.insert(all.end(), values.begin(), values.end());
  }
  Estimate estimate{Mean(all), std::nullopt};
  if (!Varies(strata)) return estimate;
  const Strata widened = Widened(strata);
  std::vector<double> means;
  for (int i = 0; i < resamples; ++i) {
    double sum = 0.0;
    for (const auto& values : widened) {
      DrawAsMany(values.size(), stream,
                 [&](std::size_t drawn) { sum += values[drawn]; });
    }
    means.push_back(sum / static_cast<double>(all.size()));
  }
  estimate.interval = Middle95(std::move(means), 0.0, 0.0);
  return estimate;
}

Estimates Bootstrap(const Strata& strata, RandomStream& stream, int resamples) {
  Estimates estimates;
  {
    const Ranked seen = Rank(strata);
    estimates.mean.value = Mean(seen.sorted);
    estimates.interquartile_mean.value = InterquartileMean(seen.sorted);
  }
  if (!Varies(strata)) return estimates;

  const Ranked ranked = Rank(Widened(strata));
  const auto cut = static_cast<std::int64_t>(ranked.sorted.size() / 4);
  std::vector<double> means;
  std::vector<double> trimmed;
  std::vector<int> drawn(ranked.sorted.size());
  for (int i = 0; i < resamples; ++i) {
    std::ranges::fill(drawn, 0);
    for (const auto& ranks : ranked.ranks) {
      DrawAsMany(ranks.size(), stream,
                 [&](std::size_t draw) { ++drawn[ranks[draw]]; });
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
