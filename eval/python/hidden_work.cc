#include "eval/python/hidden_work.h"

#include <algorithm>

#include "store/records/evaluation.h"

namespace coppice::eval::python {
namespace {

constexpr double kUnnoticedShare = 0.05;
constexpr double kUnnoticedSeconds = 2e-6;

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

}  // namespace coppice::eval::python
