#include "engine/lab/curve.h"

#include <algorithm>
#include <cmath>

namespace coppice::lab {

double ValueAt(const Curve& curve, double spent) {
  const auto next = std::upper_bound(
      curve.begin(), curve.end(), spent,
      [](double value, const Rise& rise) { return value < rise.spent; });
  return next == curve.begin() ? 0.0 : std::prev(next)->log_speedup;
}

std::vector<double> Checkpoints(double budget, Unit unit, int most) {
  std::vector<double> points;
  if (unit == Unit::kWhole && budget <= most) {
    for (int i = 1; i <= static_cast<int>(budget); ++i) points.push_back(i);
    return points;
  }
  // A real budget is of any size: from a thousandth of it.
  const double first = unit == Unit::kWhole ? 1.0 : budget / 1000.0;
  for (int i = 0; i < most; ++i) {
    double point = first * std::pow(budget / first, i / (most - 1.0));
    if (i == most - 1) point = budget;
    if (unit == Unit::kWhole) point = std::round(point);
    if (points.empty() || point > points.back()) points.push_back(point);
  }
  return points;
}

}  // namespace coppice::lab
