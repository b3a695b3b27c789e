#include "engine/speedup.h"

#include <cmath>
#include <cstdio>

#include "eval/stopping.h"

namespace coppice::engine {
namespace {

// After nvbench's robust comparison: two medians within half a per cent are
// the same.
constexpr double kClaimed = 0.005;

}  // namespace

std::optional<Interval> SpeedupInterval(const Evaluation& evaluation) {
  if (!evaluation.runtime_s || !evaluation.root_runtime_s ||
      evaluation.workloads.empty()) {
    return std::nullopt;
  }
  double variance = 0.0;
  for (const WorkloadResult& workload : evaluation.workloads) {
    const double own = eval::MedianNoise(workload.samples_s);
    const double root = eval::MedianNoise(workload.root_samples_s);
    variance += own * own + root * root;
  }
  if (!std::isfinite(variance)) return std::nullopt;
  const auto workloads = static_cast<double>(evaluation.workloads.size());
  const double factor = std::exp(1.96 * std::sqrt(variance) / workloads);
  const double speedup = *evaluation.root_runtime_s / *evaluation.runtime_s;
  return Interval{speedup / factor, speedup * factor};
}

int Comparison::Sign() const {
  if (!interval) return 0;
  if (interval->low > 1.0 + kClaimed) return 1;
  if (interval->high < 1.0 / (1.0 + kClaimed)) return -1;
  return 0;
}

Comparison Compare(const Evaluation& a, const Evaluation& b) {
  const auto speedup = [](const Evaluation& evaluation) {
    return *evaluation.root_runtime_s / *evaluation.runtime_s;
  };
  Comparison comparison{speedup(a) / speedup(b), std::nullopt};
  const auto of_a = SpeedupInterval(a);
  const auto of_b = SpeedupInterval(b);
  if (of_a && of_b) {
    // Independent errors of logarithms add in squares.
    const double wide = std::hypot(std::log(of_a->high / of_a->low),
                                   std::log(of_b->high / of_b->low));
    const double factor = std::exp(wide / 2.0);
    comparison.interval =
        Interval{comparison.ratio / factor, comparison.ratio * factor};
  }
  return comparison;
}

Comparison CompareDirectly(const Evaluation& evaluation) {
  return {*evaluation.root_runtime_s / *evaluation.runtime_s,
          SpeedupInterval(evaluation)};
}

std::string Describe(const Comparison& comparison) {
  char text[96];
  if (!comparison.interval) {
    std::snprintf(text, sizeof text, "cannot tell: too few samples (%.2fx)",
                  comparison.ratio);
  } else {
    const auto [low, high] = *comparison.interval;
    std::snprintf(text, sizeof text,
                  "%s%.3fx as fast (95 %% interval %.3fx to %.3fx)",
                  comparison.Sign() == 0 ? "cannot tell: " : "",
                  comparison.ratio, low, high);
  }
  return text;
}

}  // namespace coppice::engine
