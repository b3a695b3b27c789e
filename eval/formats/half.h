// float16 (IEEE binary16) and bfloat16 as they lie in memory.  Our compilers
// have no common type for either.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace coppice::eval {

// Exact.
inline float FromBFloat16(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

// Exact.
inline float FromFloat16(std::uint16_t bits) {
  const std::uint32_t sign = std::uint32_t{bits & 0x8000u} << 16;
  const std::uint32_t rest = bits & 0x7fffu;
  if (rest >= 0x7c00) {  // Infinity, or NaN with its payload.
    return std::bit_cast<float>(sign | 0x7f800000u | rest << 13);
  }
  // As a float whose exponent is 112 too small, which also normalises the
  // subnormal ones.
  const float magnitude = std::bit_cast<float>(rest << 13) * 0x1p112f;
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
}

// To nearest, ties to even; beyond the largest, infinity.
inline std::uint16_t ToBFloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) {
    return static_cast<std::uint16_t>(bits >> 16 | 0x40);  // Quiet.
  }
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

// To nearest, ties to even; beyond the largest, infinity.
inline std::uint16_t ToFloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000);
  const auto with_sign = [sign](std::uint32_t rest) {
    return static_cast<std::uint16_t>(sign | rest);
  };
  if (std::isnan(value)) return with_sign(0x7e00);
  const float magnitude = std::abs(value);
  if (magnitude >= 65520.0f) return with_sign(0x7c00);
  if (magnitude < 0x1p-14f) {
    // Subnormal: adding 2^-1 leaves multiples of 2^-24, rounded to even.
    const float shifted = magnitude + 0.5f;
    return with_sign(std::bit_cast<std::uint32_t>(shifted) -
                     std::bit_cast<std::uint32_t>(0.5f));
  }
  const auto rest = std::bit_cast<std::uint32_t>(magnitude);
  // 10 bits of significand of 23, and an exponent that is 112 smaller.
  return with_sign((rest + 0xfff + (rest >> 13 & 1) - (112u << 23)) >> 13);
}

}  // namespace coppice::eval
