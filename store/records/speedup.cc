#include "store/records/speedup.h"

#include <algorithm>
#include <cmath>

#include "store/records/speedup_text.h"

namespace coppice {
namespace {

// After nvbench's robust comparison: two medians within half a per cent are
// the same.
constexpr double kClaimed = 0.005;

// Half widths of 95 % intervals are this many standard errors.
constexpr double kDeviations = 1.96;

// With equal weights.
double GeometricMean(std::span<const Speedup> sessions) {
  double sum = 0.0;
  for (const Speedup& session : sessions) sum += std::log(session.ratio);
  return std::exp(sum / static_cast<double>(sessions.size()));
}

}  // namespace

double HalfWidth(const Interval& interval) {
  return std::log(interval.high / interval.low) / 2.0;
}

Speedup Around(double ratio, double half_width) {
  const double factor = std::exp(half_width);
  return {ratio, Interval{ratio / factor, ratio * factor}};
}

int Speedup::Sign(double threshold) const {
  if (!interval) return 0;
  if (interval->low > threshold * (1.0 + kClaimed)) return 1;
  if (interval->high < threshold / (1.0 + kClaimed)) return -1;
  return 0;
}

Speedup Pool(std::span<const Speedup> sessions) {
  if (sessions.size() == 1) return sessions.front();
  double weights = 0.0;
  double sum = 0.0;
  int count = 0;
  const auto weight_of = [](const Interval& interval) {
    const double half_width = HalfWidth(interval);
    return 1.0 / std::max(half_width * half_width, 1e-18);
  };
  for (const auto& [ratio, interval] : sessions) {
    if (!interval) continue;
    weights += weight_of(*interval);
    sum += weight_of(*interval) * std::log(ratio);
    ++count;
  }
  if (count == 0) return {GeometricMean(sessions), std::nullopt};
  const double mean = sum / weights;
  double squares = 0.0;
  for (const auto& [ratio, interval] : sessions) {
    if (!interval) continue;
    const double apart = std::log(ratio) - mean;
    squares += weight_of(*interval) * apart * apart;
  }
  double scale = 1.0;
  if (count > 1) {
    scale = std::max(1.0, kDeviations * std::sqrt(squares / (count - 1)));
  }
  return Around(std::exp(mean), scale / std::sqrt(weights));
}

Speedup Over(const Speedup& a, const Speedup& b) {
  const double ratio = a.ratio / b.ratio;
  if (!a.interval || !b.interval) return {ratio, std::nullopt};
  return Around(ratio,
                std::hypot(HalfWidth(*a.interval), HalfWidth(*b.interval)));
}

std::string Describe(const Speedup& speedup) {
  return (speedup.Sign() == 0 ? "cannot tell: " : "") +
         SpeedupText(speedup, kInterval);
}

}  // namespace coppice
