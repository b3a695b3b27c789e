#include "store/records/hint.h"

#include <cmath>

#include "store/records/paired_rounds.h"
#include "store/records/speedup.h"
#include "store/records/speedup_text.h"

namespace coppice {

std::optional<Hint> HintOf(
    const std::vector<std::vector<double>>& log_factors) {
  if (log_factors.empty()) return std::nullopt;
  Hint hint;
  std::vector<Estimate> estimates;
  for (const std::vector<double>& rounds : log_factors) {
    const auto estimate = TrimmedMean(rounds);
    if (!estimate) return std::nullopt;
    estimates.push_back(*estimate);
    hint.samples += std::ssize(rounds);
  }
  const Estimate mean = Average(estimates);
  hint.factor = std::exp(mean.mean);
  hint.low = std::exp(mean.mean - HalfWidth(mean));
  hint.high = std::exp(mean.mean + HalfWidth(mean));
  return hint;
}

// It borrows the digits of speeds, and nothing else of theirs.
std::string HintText(const Hint& hint) {
  const std::string numbers =
      SpeedupText({hint.factor, Interval{hint.low, hint.high}});
  const std::size_t end = numbers.find(' ');
  std::string text =
      "ran about " + numbers.substr(0, end) + " as fast as the root";
  if (end != std::string::npos) text += numbers.substr(end);
  return text + ", though it was wrong";
}

}  // namespace coppice
