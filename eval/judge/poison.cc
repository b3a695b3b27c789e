#include "eval/judge/poison.h"

#include <bit>
#include <cstring>

#include "eval/formats/shapes.h"

namespace coppice::eval {
namespace {

constexpr std::uint64_t Pair(std::uint32_t word) {
  return std::uint64_t{word} << 32 | word;
}

// Four lanes: a quiet NaN, or an exponent of 1 + [0, 8) below that of 2^4.
std::uint64_t MakeHalfPoison(std::uint64_t random, DType dtype,
                             PoisonKind kind) {
  const auto fill = [](std::uint64_t lane) {
    return lane * 0x0001000100010001;
  };
  const bool wide = dtype == DType::kBFloat16;  // 8 bits of exponent, not 5.
  const int shift = wide ? 7 : 10;
  const std::uint64_t sign_and_fraction = wide ? 0x807f : 0x83ff;
  if (kind == PoisonKind::kNan) {
    return fill(wide ? 0x7fc0 : 0x7e00) | (random & fill(sign_and_fraction));
  }
  const std::uint64_t least = (wide ? 127u : 15u) - 4;
  // Rotated, for else the fourth lane had none of these bits.
  const std::uint64_t step = (std::rotr(random, 24) & fill(7)) << shift;
  return (fill(least << shift) + step) | (random & fill(sign_and_fraction));
}

// One lane: a quiet NaN, or an exponent of 1019 + [0, 8).
std::uint64_t MakeDoublePoison(std::uint64_t random, PoisonKind kind) {
  if (kind == PoisonKind::kNan) {
    return 0x7ff8000000000000 | (random & 0x8007ffffffffffff);
  }
  const std::uint64_t exponent = 1019 + (random >> 52 & 7);
  return (random & 0x800fffffffffffff) | exponent << 52;
}

}  // namespace

std::uint64_t MakePoison(std::uint64_t random, DType dtype, PoisonKind kind) {
  if (IsHalf(dtype)) return MakeHalfPoison(random, dtype, kind);
  if (dtype == DType::kFloat64) return MakeDoublePoison(random, kind);
  if (dtype != DType::kFloat32) return random;
  if (kind == PoisonKind::kNan) {
    return Pair(0x7fc00000) | (random & Pair(0x803fffff));
  }
  // Exponent 123 + [0, 8): 2^-4 up to, not including, 2^4.
  const std::uint64_t step = random & Pair(0x03800000);
  const std::uint64_t rest = random & Pair(0x807fffff);
  return (Pair(123u << 23) + step) | rest;
}

void Poison(std::span<std::byte> pages, std::uint64_t pattern) {
  for (std::size_t i = 0; i < pages.size(); i += sizeof pattern) {
    std::memcpy(pages.data() + i, &pattern, sizeof pattern);
  }
}

bool SlackIntact(std::span<const std::byte> pages, std::size_t offset,
                 std::size_t bytes, std::uint64_t pattern) {
  const std::size_t end = offset + bytes;
  std::byte expected[sizeof pattern];
  std::memcpy(expected, &pattern, sizeof pattern);
  const auto intact = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      if (pages[i] != expected[i % sizeof pattern]) return false;
    }
    return true;
  };
  return intact(0, offset) && intact(end, pages.size());
}

}  // namespace coppice::eval
