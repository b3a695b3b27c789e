#include "eval/judge/off_clock_work.h"

#include <algorithm>

#include "store/records/evaluation.h"

namespace coppice::eval {
namespace {

constexpr double kUnnoticedShare = 0.05;
constexpr double kUnnoticedSeconds = 2e-6;
constexpr double kLeastShare = 0.8;
constexpr double kLeastInexact = 10e-6;
constexpr double kBearable = 0.1;  // Of the calls.

constexpr double kFreeAfter = 0.5e-6;

constexpr double kMostCrowded = 1.03;  // Beside honest ones: 1.00 to 1.02.

// What half of them spread by.
double MiddleHalf(std::vector<double> all) {
  std::ranges::sort(all);
  return all[all.size() * 3 / 4] - all[all.size() / 4];
}

}  // namespace

void TimingSeries::Add(const Timing& timing) {
  call_s.push_back(timing.call_s);
  whole_s.push_back(timing.whole_s);
  device_s.push_back(timing.device_s);
  after_s.push_back(timing.after_s);
  device_contention.push_back(timing.device_contention);
  most_after_s = timing.most_after_s;
}

std::vector<double> TimingSeries::Beyond() const {
  std::vector<double> beyond_s;
  for (std::size_t i = 0; i < call_s.size(); ++i) {
    beyond_s.push_back(whole_s[i] - call_s[i]);
  }
  return beyond_s;
}

double HiddenSeconds(const TimingSeries& own, const TimingSeries& root) {
  if (own.call_s.empty() || root.call_s.empty() || Median(own.whole_s) == 0.0) {
    return 0.0;
  }
  // Medians of wholes are compared, so that it does not matter which of the
  // calls hide something.
  const std::vector<double> honest_s = root.Beyond();
  const double hidden_s =
      Median(own.whole_s) - Median(own.call_s) - Median(honest_s);
  const double noise_s = kUnnoticedShare * Median(own.call_s) +
                         kUnnoticedSeconds + MiddleHalf(honest_s);
  return hidden_s > noise_s ? hidden_s : 0.0;
}

double SecondsAfter(const TimingSeries& own, const TimingSeries& root) {
  if (own.after_s.empty() || root.after_s.empty()) return 0.0;
  const double after_s = Median(own.after_s) - Median(root.after_s);
  return after_s > kFreeAfter ? after_s : 0.0;
}

bool WorksAfter(const TimingSeries& own, const TimingSeries& root) {
  if (own.after_s.empty() || root.after_s.empty()) return false;
  return QuartilesOf(own.after_s).lower - QuartilesOf(root.after_s).upper >
         own.most_after_s;
}

TimingSeries TimingSeries::Part(std::size_t from, std::size_t count) const {
  const auto part = [&](const std::vector<double>& all) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(from);
    return std::vector(begin, begin + static_cast<std::ptrdiff_t>(count));
  };
  return {.call_s = part(call_s),
          .whole_s = part(whole_s),
          .device_s = part(device_s)};
}

bool IsContended(std::vector<double> device_contention) {
  if (device_contention.empty()) return false;
  std::ranges::sort(device_contention);
  return device_contention[device_contention.size() * 3 / 4] > kMostCrowded;
}

bool EventsAgree(const TimingSeries& own, const TimingSeries& root) {
  if (own.call_s.empty() || root.call_s.empty()) return true;
  std::vector<double> beside_s;  // What the clock shows beside the events.
  for (std::size_t i = 0; i < root.call_s.size(); ++i) {
    beside_s.push_back(root.call_s[i] - root.device_s[i]);
  }
  const double usual_s = Median(own.call_s);
  const double error_s = std::max(0.0, Median(beside_s));
  const double inexact_s = std::max(kLeastInexact, 2.0 * MiddleHalf(beside_s));
  // A mean is made smaller by few of them, too.
  int short_calls = 0;
  for (std::size_t i = 0; i < own.call_s.size(); ++i) {
    // The clock of a lone call may have been read late.
    const double clocked_s = std::min(own.call_s[i], usual_s) - error_s;
    if (own.device_s[i] < kLeastShare * clocked_s - inexact_s) ++short_calls;
  }
  return short_calls <= kBearable * static_cast<double>(own.call_s.size());
}

}  // namespace coppice::eval
