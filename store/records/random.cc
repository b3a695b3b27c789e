#include "store/records/random.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace coppice {

std::array<std::uint32_t, 4> Philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key) {
  constexpr std::uint64_t kM0 = 0xD2511F53, kM1 = 0xCD9E8D57;
  constexpr std::uint32_t kW0 = 0x9E3779B9, kW1 = 0xBB67AE85;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = kM0 * counter[0];
    const std::uint64_t p1 = kM1 * counter[2];
    counter = {static_cast<std::uint32_t>(p1 >> 32) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(p1),
               static_cast<std::uint32_t>(p0 >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(p0)};
    key[0] += kW0;
    key[1] += kW1;
  }
  return counter;
}

double OpenUnit(std::uint64_t bits) {
  constexpr double kBelowOne = 0x1.fffffffffffffp-1;
  // Half a step below 1 takes 54 bits, and would be rounded to 1.
  return std::min((static_cast<double>(bits >> 11) + 0.5) * 0x1p-53, kBelowOne);
}

// The 128-bit counter is {block number, purpose, index low, index high}: a
// stream has 2^32 blocks before it would meet another one.
RandomStream::RandomStream(std::uint64_t seed, Purpose purpose,
                           std::uint64_t index)
    : key_{static_cast<std::uint32_t>(seed),
           static_cast<std::uint32_t>(seed >> 32)},
      counter_{0, static_cast<std::uint32_t>(purpose),
               static_cast<std::uint32_t>(index),
               static_cast<std::uint32_t>(index >> 32)} {}

std::uint64_t RandomStream::seed() const {
  return std::uint64_t{key_[1]} << 32 | key_[0];
}

std::uint64_t RandomStream::index() const {
  return std::uint64_t{counter_[3]} << 32 | counter_[2];
}

std::uint64_t RandomStream::NextU64() {
  if (used_ == 4) {
    block_ = Philox4x32(counter_, key_);
    ++counter_[0];
    used_ = 0;
  }
  const auto at = static_cast<std::size_t>(used_);
  used_ += 2;
  return std::uint64_t{block_[at + 1]} << 32 | block_[at];
}

double RandomStream::Uniform() { return OpenUnit(NextU64()); }

std::uint64_t RandomStream::Below(std::uint64_t n) {
  // Reject the 2^64 mod n lowest products, so that each value is equally
  // frequent.  Their number is less than n, so the division is rarely needed.
  while (true) {
    const auto product = static_cast<unsigned __int128>(NextU64()) * n;
    const auto low = static_cast<std::uint64_t>(product);
    if (low >= n || low >= (0 - n) % n) {
      return static_cast<std::uint64_t>(product >> 64);
    }
  }
}

double RandomStream::Normal() {
  const double radius = std::sqrt(-2.0 * std::log(Uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * Uniform());
}

double RandomStream::Gamma(double shape) {
  if (shape < 1.0) {
    // Gamma(k) is Gamma(k + 1) U^(1/k).
    const double boost = std::pow(Uniform(), 1.0 / shape);
    return boost * Gamma(shape + 1.0);
  }
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  while (true) {
    const double x = Normal();
    const double root = 1.0 + c * x;
    if (root <= 0.0) continue;
    const double v = root * root * root;
    const double u = Uniform();
    // What is below this bound meets the condition too, without logarithms.
    if (u < 1.0 - 0.0331 * (x * x) * (x * x) ||
        std::log(u) < 0.5 * x * x + d - d * v + d * std::log(v)) {
      return d * v;
    }
  }
}

double RandomStream::Beta(double a, double b) {
  const double x = Gamma(a);
  const double y = Gamma(b);
  // Both underflow only where both shapes are tiny: then it is near 0 or 1.
  return x + y > 0.0 ? x / (x + y) : (Uniform() * (a + b) < a ? 1.0 : 0.0);
}

}  // namespace coppice
