#include "tests/calibration.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "search/landscapes/in_memory_campaign.h"

namespace coppice {
namespace {

constexpr double kLowestLog = -4.0;
constexpr double kHighestLog = 3.0;

constexpr double kTail = 0.005;
constexpr double kTailInStandardErrors = 2.576;  // Of a normal distribution.

class Sums {
 public:
  void Add(double number) {
    ++count_;
    sum_ += number;
    squares_ += number * number;
  }
  Moments Result() const {
    if (count_ == 0) return {};
    const double n = count_;
    const double mean = sum_ / n;
    return {mean, std::sqrt(std::max(0.0, squares_ / n - mean * mean))};
  }

 private:
  int count_ = 0;
  double sum_ = 0.0;
  double squares_ = 0.0;
};

// P(X = k) of n trials with chance p.
double Binomial(int n, int k, double p) {
  return std::exp(std::lgamma(n + 1.0) - std::lgamma(k + 1.0) -
                  std::lgamma(n - k + 1.0)) *
         std::pow(p, k) * std::pow(1.0 - p, n - k);
}

bool IsLikelyShare(double simulated, double paper, int tasks) {
  const int found = static_cast<int>(std::lround(paper * tasks));
  double at_most = 0.0;
  double at_least = 0.0;
  for (int k = 0; k <= tasks; ++k) {
    const double chance = Binomial(tasks, k, simulated);
    if (k <= found) at_most += chance;
    if (k >= found) at_least += chance;
  }
  return at_most >= kTail && at_least >= kTail;
}

bool IsLikelyMean(const Moments& simulated, double paper, double tasks) {
  return std::abs(simulated.mean - paper) <=
         kTailInStandardErrors * simulated.sd / std::sqrt(tasks);
}

Comparison CompareShare(const char* name, double simulated,
                        std::optional<double> paper, int tasks) {
  return {name, simulated, paper,
          !paper || IsLikelyShare(simulated, *paper, tasks)};
}

Comparison CompareMean(const char* name, const Moments& simulated,
                       std::optional<double> paper, double tasks) {
  return {name, simulated.mean, paper,
          !paper || IsLikelyMean(simulated, *paper, tasks)};
}

}  // namespace

Tally TallyOf(search::Family family, const search::PaperRow& row,
              int campaigns) {
  const auto policy = *search::MakePolicy(row.policy);
  const search::TaskLaw law(family, row.level);
  constexpr std::array<std::int64_t, 1> kEnd = {search::kPaperAttempts};
  constexpr double kAttempts = search::kPaperAttempts;
  Sums compiled;
  Sums correct;
  Sums speed;
  int successes = 0;
  int fast = 0;
  for (int seed = 1; seed <= campaigns; ++seed) {
    const search::InMemoryOutcome outcome =
        RunInMemory(*policy, law, static_cast<std::uint64_t>(seed),
                    {row.workforce, search::kPaperAttempts, kEnd});
    compiled.Add(static_cast<double>(outcome.compiled) / kAttempts);
    correct.Add(static_cast<double>(outcome.correct) / kAttempts);
    fast += outcome.fast_1 ? 1 : 0;
    if (!outcome.incumbents[0]) continue;
    ++successes;
    speed.Add(std::exp(
        std::clamp(outcome.incumbents[0]->measured, kLowestLog, kHighestLog)));
  }
  const double n = campaigns;
  return {compiled.Result(), correct.Result(), successes / n, fast / n,
          speed.Result()};
}

std::array<Comparison, 5> Compare(const search::PaperRow& row,
                                  const Tally& tally) {
  const int tasks = search::PaperTasks(row.level);
  const double successful =
      std::max(1.0, tasks * row.success.value_or(tally.success));
  return {CompareMean("compiled", tally.compiled, row.compiled, tasks),
          CompareMean("correct", tally.correct, row.correct, tasks),
          CompareShare("success", tally.success, row.success, tasks),
          CompareShare("fast_1", tally.fast_1, row.fast_1, tasks),
          CompareMean("speed", tally.speed, row.speed, successful)};
}

}  // namespace coppice
