#include "engine/lab/sign_flip.h"

#include <algorithm>
#include <array>
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

constexpr std::size_t kSigns = 64;  // Of a word of random bits.
using SumsOfEight = std::array<double, 256>;

// Sums by the choice of signs: if bit k of the index is set, the k-th counts as
// plus.
SumsOfEight SumsOf(std::span<const double, 8> values) {
  SumsOfEight sums{};
  std::size_t choices = 1;
  for (const double value : values) {
    for (std::size_t i = 0; i < choices; ++i) {
      sums[choices + i] = sums[i] + value;
      sums[i] -= value;
    }
    choices *= 2;
  }
  return sums;
}

// Sixty-four differences at a time, for all draws of signs.
double OfSome(std::span<const double> differences, const Observed& observed,
              RandomStream& stream) {
  std::vector<double> sums(kDrawn, 0.0);
  while (!differences.empty()) {
    std::array<double, kSigns> some{};  // Zeros follow the last difference.
    const std::size_t count = std::min(kSigns, differences.size());
    std::ranges::copy(differences.first(count), some.begin());
    differences = differences.subspan(count);
    std::array<SumsOfEight, kSigns / 8> tables;
    for (std::size_t t = 0; t < tables.size(); ++t) {
      tables[t] = SumsOf(std::span<const double, 8>(&some[8 * t], 8));
    }
    for (double& sum : sums) {
      std::uint64_t signs = stream.NextU64();
      for (const SumsOfEight& table : tables) {
        sum += table[signs & 0xff];
        signs >>= 8;
      }
    }
  }
  const auto as_far = std::ranges::count_if(
      sums, [&](double sum) { return IsAsFar(sum, observed); });
  return static_cast<double>(as_far + 1) / (kDrawn + 1);
}

}  // namespace

double SignFlipTest(std::span<const double> differences, RandomStream& stream) {
  if (differences.empty()) return 1.0;
  const Observed observed = Observe(differences);
  if (differences.size() <= kMostForAll) return OfAll(differences, observed);
  return OfSome(differences, observed, stream);
}

}  // namespace coppice::lab
