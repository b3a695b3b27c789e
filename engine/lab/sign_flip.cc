#include "engine/lab/sign_flip.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace coppice::lab {
namespace {

constexpr std::size_t kMostForAll = 20;
constexpr int kDrawn = 10'000;

struct Observed {
  double sum = 0.0;
  double rounding = 0.0;  // By which equal sums may differ.
};

Observed Observe(std::span<const double> differences) {
  Observed observed;
  for (const double each : differences) {
    observed.sum += each;
    observed.rounding += std::abs(each);
  }
  observed.rounding *= 1e-12;
  return observed;
}

bool IsAsFar(double sum, const Observed& observed) {
  return std::abs(sum) >= std::abs(observed.sum) - observed.rounding;
}

// In the order of a Gray code, where one sign turns at a time.  The first sign
// stays: turning all of them leaves the distance as it is.
double OfAll(std::span<const double> differences, const Observed& observed) {
  std::vector<double> signed_values(differences.begin(), differences.end());
  double sum = observed.sum;
  const std::uint64_t choices = std::uint64_t{1} << (differences.size() - 1);
  std::uint64_t as_far = 1;
  for (std::uint64_t i = 1; i < choices; ++i) {
    double& turned =
        signed_values[static_cast<std::size_t>(std::countr_zero(i)) + 1];
    turned = -turned;
    sum += 2.0 * turned;
    if (IsAsFar(sum, observed)) ++as_far;
  }
  return static_cast<double>(as_far) / static_cast<double>(choices);
}

double OfSome(std::span<const double> differences, const Observed& observed,
              RandomStream& stream) {
  int as_far = 1;
  for (int i = 0; i < kDrawn; ++i) {
    double sum = 0.0;
    std::uint64_t signs = 0;
    for (std::size_t k = 0; k < differences.size(); ++k, signs >>= 1) {
      if (k % 64 == 0) signs = stream.NextU64();
      sum += (signs & 1) != 0 ? differences[k] : -differences[k];
    }
    if (IsAsFar(sum, observed)) ++as_far;
  }
  return static_cast<double>(as_far) / (kDrawn + 1);
}

}  // namespace

double SignFlipTest(std::span<const double> differences, RandomStream& stream) {
  if (differences.empty()) return 1.0;
  const Observed observed = Observe(differences);
  if (differences.size() <= kMostForAll) return OfAll(differences, observed);
  return OfSome(differences, observed, stream);
}

}  // namespace coppice::lab
