#include "eval/python/hidden_work.h"

#include <algorithm>

#include "store/records/evaluation.h"

namespace coppice::eval::python {
namespace {

constexpr double kUnnoticedShare = 0.05;
constexpr double kUnnoticedSeconds = 2e-6;

constexpr double kLeastShare = 0.7;
constexpr double kInexact = 100e-6;
constexpr double kBearable = 0.1;  // Of the calls.

double MedianBesideEvents(const Told& told) {
  std::vector<double> beside_s;
  for (std::size_t i = 0; i < told.call_s.size(); ++i) {
    beside_s.push_back(told.call_s[i] - told.device_s[i]);
  }
  return std::max(0.0, Median(beside_s));
}

}  // namespace

double Told::Beyond() const {
  if (call_s.empty()) return 0.0;
  return std::max(0.0, *std::ranges::min_element(whole_s) - Median(call_s));
}

double HiddenSeconds(const Told& own, const Told& root) {
  if (own.call_s.empty()) return 0.0;
  const double hidden_s = own.Beyond() - root.Beyond();
  const double noise_s =
      kUnnoticedShare * Median(own.call_s) + kUnnoticedSeconds;
  return hidden_s > noise_s ? hidden_s : 0.0;
}

bool EventsAgree(const Told& own, const Told& root) {
  if (own.call_s.empty() || root.call_s.empty()) return true;
  const double told_s = Median(own.device_s);
  const double clocked_s = Median(own.call_s) - MedianBesideEvents(root);
  if (told_s < kLeastShare * clocked_s - kInexact) return false;
  // A mean is made smaller by a few of them, too.
  const auto short_calls = std::ranges::count_if(
      own.device_s, [&](double one_s) { return one_s < kLeastShare * told_s; });
  return static_cast<double>(short_calls) <=
         kBearable * static_cast<double>(own.device_s.size());
}

}  // namespace coppice::eval::python
