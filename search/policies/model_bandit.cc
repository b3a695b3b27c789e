#include "search/policies/model_bandit.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace coppice::search {
namespace {

constexpr double kLogOfNothing = -std::numeric_limits<double>::infinity();
constexpr double kLeast = 1e-7;  // Of what is divided by.
constexpr double kTie = 1e-12;   // Scores this close are equal.

// ln(e^a + e^b).
double LogAddExp(double a, double b) {
  const double larger = std::max(a, b);
  if (larger == kLogOfNothing) return kLogOfNothing;
  return larger + std::log1p(std::exp(std::min(a, b) - larger));
}

// ln(e^z - 1), by which e^z alone matters where it is huge.
double LogExpMinusOne(double z) {
  if (z <= 0.0) return kLogOfNothing;
  return z > 50.0 ? z : std::log(std::expm1(z));
}

// ln of f x / (1 + (1 - f) x), for x = e^log_value: it shrinks a large value
// more than a small one.
double DiscountLog(double log_value, double factor) {
  if (log_value == kLogOfNothing) return kLogOfNothing;
  return log_value + std::log(factor) -
         LogAddExp(0.0, std::log1p(-factor) + log_value);
}

double MedianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half]
                                : (values[half - 1] + values[half]) / 2;
}

}  // namespace

ModelBandit::ModelBandit(std::size_t arms, ModelBanditOptions options)
    : options_(options),
      arms_(arms, Arm{.log_sum = kLogOfNothing}),
      log_largest_(kLogOfNothing) {
  assert(arms >= 1);
}

void ModelBandit::Submit(std::size_t arm) { ++arms_[arm].submitted; }

void ModelBandit::Complete(std::size_t arm, std::optional<double> log_speedup,
                           double parent_log_speedup,
                           std::optional<double> cost_usd) {
  Arm& called = arms_[arm];
  const double base = std::max(parent_log_speedup, 0.0);
  const double gain = log_speedup ? std::max(*log_speedup - base, 0.0) : 0.0;
  const double log_reward = LogExpMinusOne(options_.sharpness * gain);
  called.log_sum = LogAddExp(called.log_sum, log_reward);
  called.completed += 1.0;
  ++called.finished;
  if (log_speedup) log_largest_ = std::max(log_largest_, log_reward);
  Discount();
  if (!cost_usd) return;
  called.cost_usd += *cost_usd;
  ++called.priced;
  cheapest_usd_ = std::min(cheapest_usd_.value_or(*cost_usd), *cost_usd);
  dearest_usd_ = std::max(dearest_usd_.value_or(*cost_usd), *cost_usd);
}

void ModelBandit::Discount() {
  log_largest_ = DiscountLog(log_largest_, options_.discount);
  for (Arm& arm : arms_) {
    arm.completed *= options_.discount;
    arm.log_sum = DiscountLog(arm.log_sum, options_.discount);
    log_largest_ = std::max(
        log_largest_, arm.log_sum - std::log(std::max(arm.completed, kLeast)));
  }
}

std::vector<double> ModelBandit::Means() const {
  const double shift = log_largest_ == kLogOfNothing ? 0.0 : log_largest_;
  std::vector<double> means;
  for (const Arm& arm : arms_) {
    means.push_back(std::exp(
        arm.log_sum - std::log(std::max(arm.completed, kLeast)) - shift));
  }
  return means;
}

int ModelBandit::TotalCalls() const {
  int calls = 0;
  for (const Arm& arm : arms_) calls += arm.Calls();
  return calls;
}

std::vector<double> ModelBandit::Scores() const {
  std::vector<double> scores = Means();
  const double calls = std::max(TotalCalls(), 2);
  for (std::size_t i = 0; i < arms_.size(); ++i) {
    assert(arms_[i].Calls() > 0);
    scores[i] += options_.exploration *
                 std::sqrt(2.0 * std::log(calls) / arms_[i].Calls());
  }
  const std::vector<double> cheapness = Cheapness();
  if (cheapness.empty()) return scores;
  for (std::size_t i = 0; i < arms_.size(); ++i) {
    scores[i] = (1.0 - options_.cost_weight) * scores[i] +
                options_.cost_weight * cheapness[i];
  }
  return scores;
}

// Empty while costs do not count, or an arm has none.
std::vector<double> ModelBandit::Cheapness() const {
  if (options_.cost_weight <= 0.0) return {};
  std::vector<double> costs;
  for (const Arm& arm : arms_) {
    if (arm.priced == 0) return {};
    costs.push_back(arm.cost_usd / arm.priced);
  }
  const double median = MedianOf(costs);
  const double range = *dearest_usd_ - *cheapest_usd_;
  const double calls = std::max(TotalCalls(), 2);
  std::vector<double> cheapness;
  for (std::size_t i = 0; i < arms_.size(); ++i) {
    const double doubt =
        0.1 * range * std::sqrt(2.0 * std::log(calls) / arms_[i].priced);
    cheapness.push_back(median / std::max(costs[i] - doubt, kLeast));
  }
  const double largest = *std::max_element(cheapness.begin(), cheapness.end());
  // All calls were free: none is cheaper than another.
  if (largest <= 0.0) return std::vector<double>(arms_.size(), 1.0);
  for (double& ratio : cheapness) ratio /= largest;
  return cheapness;
}

std::vector<double> ModelBandit::Chances() const {
  std::vector<bool> wins;
  for (const Arm& arm : arms_) wins.push_back(arm.Calls() == 0);
  const bool untried = std::find(wins.begin(), wins.end(), true) != wins.end();
  if (!untried) {
    const std::vector<double> scores = Scores();
    const double best = *std::max_element(scores.begin(), scores.end());
    for (std::size_t i = 0; i < wins.size(); ++i) {
      wins[i] = scores[i] >= best - kTie;
    }
  }
  const auto winners =
      static_cast<double>(std::count(wins.begin(), wins.end(), true));
  const double losers = static_cast<double>(wins.size()) - winners;
  const double lost = untried || losers == 0.0 ? 0.0 : options_.epsilon;
  std::vector<double> chances;
  for (const bool win : wins) {
    chances.push_back(win ? (1.0 - lost) / winners
                          : (lost > 0.0 ? lost / losers : 0.0));
  }
  return chances;
}

std::size_t ModelBandit::Select(RandomStream& stream) const {
  const std::vector<double> chances = Chances();
  double left = stream.Uniform();
  std::size_t last = 0;  // Of those with a chance, should rounding leave some.
  for (std::size_t i = 0; i < chances.size(); ++i) {
    if (chances[i] <= 0.0) continue;
    last = i;
    left -= chances[i];
    if (left < 0.0) break;
  }
  return last;
}

}  // namespace coppice::search
