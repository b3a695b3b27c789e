// The two types of 8 bits that tensors may have, as they lie in memory.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "eval/formats/half.h"

namespace coppice::eval {

// 5 bits of exponent, 2 of significand: the upper half of a float16.
inline float FromFloat8E5M2(std::uint8_t bits) {
  return FromFloat16(static_cast<std::uint16_t>(bits << 8));
}

// 4 bits of exponent (bias 7), 3 of significand, and no infinity: all ones are
// NaN.
inline float FromFloat8E4M3FN(std::uint8_t bits) {
  const int exponent = bits >> 3 & 15;
  const int significand = bits & 7;
  float magnitude =
      exponent == 0
          ? std::ldexp(static_cast<float>(significand), -9)
          : std::ldexp(static_cast<float>(8 + significand), exponent - 10);
  if ((bits & 0x7f) == 0x7f) {
    magnitude = std::numeric_limits<float>::quiet_NaN();
  }
  return (bits & 0x80) != 0 ? -magnitude : magnitude;
}

}  // namespace coppice::eval
