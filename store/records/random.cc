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
  // frequent.
  const std::uint64_t threshold = (0 - n) % n;
  while (true) {
    const auto product = static_cast<unsigned __int128>(NextU64()) * n;
    if (static_cast<std::uint64_t>(product) >= threshold) {
      return static_cast<std::uint64_t>(product >> 64);
    }
  }
}

double RandomStream::Normal() {
  const double radius = std::sqrt(-2.0 * std::log(Uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * Uniform());
}

}  // namespace coppice
