#include "store/records/speedup_text.h"

#include <algorithm>
#include <cmath>

#include "store/records/formatted.h"

namespace coppice {
namespace {

// Three digits of the ratio are written, or two places of a slowdown, where
// half the interval has so many of the last one's units; otherwise as many more
// or fewer as that takes.
constexpr double kLeastUnits = 2.0;
constexpr double kMostUnits = 40.0;
// What is narrower is not worth more digits: nothing is claimed within it.
constexpr double kNarrowest = 0.005;
// Less than this, of the ratio, is rounding: nothing varied.
constexpr double kExact = 1e-6;

// The exponent of a number's first digit.
int Leading(double value) {
  return static_cast<int>(std::floor(std::log10(value)));
}

// The power of ten whose multiples are written, as its exponent.
int UnitOf(double ratio, const Interval& interval) {
  const double half_width =
      std::max((interval.high - interval.low) / 2.0, kNarrowest * ratio);
  int unit = Leading(std::max(ratio, 1.0)) - 2;
  while (half_width < kLeastUnits * std::pow(10.0, unit)) --unit;
  while (half_width > kMostUnits * std::pow(10.0, unit)) ++unit;
  return unit;
}

// At least the first digit stays.
std::string Rounded(double value, int unit) {
  unit = std::min(unit, Leading(value));
  const double step = std::pow(10.0, unit);
  return Formatted("%.*f", std::max(0, -unit),
                   unit > 0 ? std::round(value / step) * step : value);
}

}  // namespace

std::string SpeedupText(const Speedup& speedup, std::string_view before) {
  const double ratio = speedup.ratio;
  if (!speedup.interval) {
    return Formatted("%.2g", ratio) +
           (before.empty() ? "x (?)" : "x (too few rounds)");
  }
  const Interval& interval = *speedup.interval;
  if (interval.high - interval.low < kExact * ratio || interval.low <= 0.0) {
    return Formatted("%.4g", ratio) + "x";
  }
  const int unit = UnitOf(ratio, interval);
  return Rounded(ratio, unit) + "x (" + std::string(before) +
         Rounded(interval.low, unit) + "-" + Rounded(interval.high, unit) + ")";
}

}  // namespace coppice
