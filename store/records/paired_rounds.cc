#include "store/records/paired_rounds.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace coppice {
namespace {

constexpr std::size_t kMostBlocks = 8;
constexpr std::size_t kFewestRounds = 3;
constexpr double kTrimmed = 0.2;  // At either end.

// What `of` makes of successive values, in as many blocks as there may be.
std::vector<double> Blocks(const std::vector<double>& values,
                           double (*of)(std::vector<double>) = Median) {
  const std::size_t blocks = std::min(values.size(), kMostBlocks);
  std::vector<double> all;
  for (std::size_t i = 0; i < blocks; ++i) {
    const auto at = [&](std::size_t block) {
      return values.begin() +
             static_cast<std::ptrdiff_t>(values.size() * block / blocks);
    };
    all.push_back(of({at(i), at(i + 1)}));
  }
  return all;
}

// The logarithm of the mean of all values.
Estimate LogMean(const std::vector<double>& values) {
  const double mean = Mean(values);
  const std::vector<double> blocks = Blocks(values, Mean);
  const auto count = static_cast<double>(blocks.size());
  double squares = 0.0;
  for (const double block : blocks) squares += std::pow(block - mean, 2);
  return {std::log(mean), squares / (count * (count - 1.0) * mean * mean),
          count - 1.0};
}

// The speedup whose logarithm is estimated.
Speedup Exponential(const Estimate& estimate) {
  return Around(std::exp(estimate.mean), HalfWidth(estimate));
}

// Logarithms of the times `over` those of samples, by run.
std::vector<std::vector<double>> Runs(
    const std::vector<double>& over, const std::vector<double>& samples,
    const std::vector<SampleReading>& readings) {
  std::vector<std::vector<double>> runs;
  int run = -1;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const int now = i < readings.size() ? readings[i].session : 0;
    if (now != run) runs.emplace_back();
    run = now;
    runs.back().push_back(std::log(over[i] / samples[i]));
  }
  return runs;
}

// What a session says of workloads, each by one run.
Speedup SpeedupOfSession(const std::vector<WorkloadResult>& workloads,
                         std::vector<std::vector<double>> runs) {
  std::vector<Estimate> estimates;
  double medians = 0.0;
  bool is_known = true;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    medians += Median(runs[i]);
    auto estimate = TrimmedMean(std::move(runs[i]));
    if (!estimate) {
      is_known = false;
      continue;
    }
    if (const auto& between = workloads[i].between_processes) {
      *estimate = Sum({*estimate, {0.0, between->variance, between->freedom}});
    }
    estimates.push_back(*estimate);
  }
  if (is_known) return Exponential(Average(estimates));
  return {std::exp(medians / static_cast<double>(runs.size())), std::nullopt};
}

// What `pooled` is unsure by because its sessions share the root's process.
// Each has half of what differs between processes from it, and half from its
// own candidate's; pooling lowers the first half as if it was not shared.
Speedup WithSharedRoot(const Speedup& pooled, std::size_t sessions,
                       const std::vector<WorkloadResult>& workloads) {
  if (!pooled.interval) return pooled;
  std::vector<Estimate> shared;
  for (const WorkloadResult& result : workloads) {
    const ProcessSpread between =
        result.between_processes.value_or(ProcessSpread());
    shared.push_back({0.0, between.variance / 2.0, between.freedom});
  }
  const double lowered = 1.0 - 1.0 / static_cast<double>(sessions);
  return Around(pooled.ratio,
                std::hypot(HalfWidth(*pooled.interval),
                           HalfWidth(Average(shared)) * std::sqrt(lowered)));
}

// Where rounds do not come in pairs.
Speedup SpeedupOfMedians(const std::vector<WorkloadResult>& workloads) {
  double sum = 0.0;
  for (const WorkloadResult& result : workloads) {
    sum += std::log(Median(result.root_samples_s) / Median(result.samples_s));
  }
  return {std::exp(sum / static_cast<double>(workloads.size())), std::nullopt};
}

}  // namespace

std::optional<Estimate> TrimmedMean(std::vector<double> values) {
  if (values.size() < kFewestRounds) return {};
  values = Blocks(values);
  std::ranges::sort(values);
  const auto count = values.size();
  const auto trimmed =
      static_cast<std::size_t>(kTrimmed * static_cast<double>(count));
  const std::size_t kept = count - 2 * trimmed;
  Estimate estimate;
  for (std::size_t i = trimmed; i < trimmed + kept; ++i) {
    estimate.mean += values[i] / static_cast<double>(kept);
  }
  // Each value that was cut off counts as the nearest one that was not.
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = values[std::clamp(i, trimmed, trimmed + kept - 1)];
  }
  const double centre = Mean(values);
  double squares = 0.0;
  for (const double value : values) squares += std::pow(value - centre, 2);
  estimate.freedom = static_cast<double>(kept - 1);
  estimate.variance = squares / (static_cast<double>(kept) * estimate.freedom);
  return estimate;
}

Estimate Sum(const std::vector<Estimate>& estimates) {
  Estimate sum;
  double squares = 0.0;
  for (const Estimate& each : estimates) {
    sum.mean += each.mean;
    sum.variance += each.variance;
    squares += each.variance * each.variance / each.freedom;
  }
  // Where nothing varies, any freedom does.
  if (squares > 0.0) sum.freedom = sum.variance * sum.variance / squares;
  return sum;
}

Estimate Average(const std::vector<Estimate>& estimates) {
  const auto count = static_cast<double>(estimates.size());
  const Estimate sum = Sum(estimates);
  return {sum.mean / count, sum.variance / (count * count), sum.freedom};
}

double HalfWidth(const Estimate& estimate) {
  return StudentPoint(estimate.freedom) * std::sqrt(estimate.variance);
}

// Names as in the algorithm, whose P is 0.05.
double StudentPoint(double freedom) {
  constexpr double kTails = 0.05;
  constexpr double kNormal = -1.959964;  // The 2.5 % point.
  const double n = std::max(freedom, 1.0);
  // Where its first expansion is weak, it is exact.
  if (n < 1.0 + 1e-9) return 1.0 / std::tan(kTails * std::numbers::pi / 2.0);
  const double a = 1.0 / (n - 0.5);
  const double b = 48.0 / (a * a);
  double c = ((20700.0 * a / b - 98.0) * a - 16.0) * a + 96.36;
  const double d = ((94.5 / (b + c) - 3.0) / b + 1.0) *
                   std::sqrt(a * std::numbers::pi / 2.0) * n;
  double y = std::pow(d * kTails, 2.0 / n);
  if (y > 0.05 + a) {
    const double x = kNormal;
    y = x * x;
    if (n < 5.0) c += 0.3 * (n - 4.5) * (x + 0.6);
    c += (((0.05 * d * x - 5.0) * x - 7.0) * x - 2.0) * x + b;
    y = (((((0.4 * y + 6.3) * y + 36.0) * y + 94.5) / c - y - 3.0) / b + 1.0) *
        x;
    y = std::expm1(a * y * y);
  } else {
    y = ((1.0 / (((n + 6.0) / (n * y) - 0.089 * d - 0.822) * (n + 2.0) * 3.0) +
          0.5 / (n + 4.0)) *
             y -
         1.0) *
            (n + 1.0) / (n + 2.0) +
        1.0 / y;
  }
  return std::sqrt(n * y);
}

std::vector<std::vector<double>> LogRatios(const WorkloadResult& result) {
  return Runs(result.root_samples_s, result.samples_s, result.readings);
}

std::vector<std::vector<double>> ControlLogRatios(
    const WorkloadResult& result) {
  if (result.control_samples_s.size() != result.root_samples_s.size()) {
    return {};
  }
  return Runs(result.root_samples_s, result.control_samples_s, result.readings);
}

Speedup SpeedupOf(const std::vector<WorkloadResult>& workloads) {
  // By session, then by workload.
  std::vector<std::vector<std::vector<double>>> sessions;
  for (const WorkloadResult& result : workloads) {
    if (result.samples_s.size() != result.root_samples_s.size()) {
      return SpeedupOfMedians(workloads);
    }
    std::vector<std::vector<double>> runs = LogRatios(result);
    if (&result == &workloads.front()) sessions.resize(runs.size());
    if (runs.size() != sessions.size()) return SpeedupOfMedians(workloads);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      sessions[i].push_back(std::move(runs[i]));
    }
  }
  std::vector<Speedup> speedups;
  for (std::vector<std::vector<double>>& runs : sessions) {
    speedups.push_back(SpeedupOfSession(workloads, std::move(runs)));
  }
  return WithSharedRoot(Pool(speedups), speedups.size(), workloads);
}

Speedup SpeedupOfMeans(const WorkloadResult& result) {
  const std::vector<double>& own = result.samples_s;
  const std::vector<double>& root = result.root_samples_s;
  if (std::min(own.size(), root.size()) < kFewestRounds) {
    return {Mean(root) / Mean(own), std::nullopt};
  }
  Estimate below = LogMean(own);
  below.mean = -below.mean;
  return Exponential(Sum({LogMean(root), below}));
}

}  // namespace coppice
