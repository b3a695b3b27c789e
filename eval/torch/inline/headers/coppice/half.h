// Half and BFloat16 as torch has them: 16 bits of storage, arithmetic in
// float.
#pragma once

#include <coppice/types.h>

#include <cstring>

#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

namespace lookalike {

COPPICE_BOTH inline std::uint32_t BitsOf(float value) {
  std::uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
COPPICE_BOTH inline float FloatOf(std::uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// Rounds to nearest, ties to even.
COPPICE_BOTH inline std::uint16_t HalfBits(float value) {
  const std::uint32_t bits = BitsOf(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u)
    return static_cast<std::uint16_t>(sign | 0x7e00u);
  if (magnitude >= 0x477ff000u) {  // Rounds to 65536 or more.
    return static_cast<std::uint16_t>(sign | 0x7c00u);
  }
  if (magnitude < 0x38800000u) {  // Subnormal: adding 0.5 aligns its bits.
    const std::uint32_t aligned = BitsOf(FloatOf(magnitude) + 0.5f);
    return static_cast<std::uint16_t>(sign | (aligned - 0x3f000000u));
  }
  const std::uint32_t odd = (magnitude >> 13) & 1u;
  return static_cast<std::uint16_t>(
      sign | ((magnitude - 0x38000000u + 0xfffu + odd) >> 13));
}

COPPICE_BOTH inline float FromHalfBits(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000u) << 16;
  const std::uint32_t magnitude = half & 0x7fffu;
  if (magnitude >= 0x7c00u) {
    return FloatOf(sign | 0x7f800000u | ((magnitude & 0x3ffu) << 13));
  }
  if (magnitude < 0x400u) {  // In units of 2^-24.
    return FloatOf(
        sign | BitsOf(static_cast<float>(magnitude) * 5.9604644775390625e-8f));
  }
  return FloatOf(sign | ((magnitude << 13) + 0x38000000u));
}

COPPICE_BOTH inline std::uint16_t BFloatBits(float value) {
  const std::uint32_t bits = BitsOf(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fc0;
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >>
                                    16);
}

struct alignas(2) Half {
  unsigned short x;
  struct from_bits_t {};
  static constexpr COPPICE_BOTH from_bits_t from_bits() { return {}; }
  Half() = default;
  constexpr COPPICE_BOTH Half(unsigned short bits, from_bits_t) : x(bits) {}
  COPPICE_BOTH Half(float value) {
#ifdef __CUDA_ARCH__
    x = __half_as_ushort(__float2half(value));
#else
    x = HalfBits(value);
#endif
  }
  COPPICE_BOTH operator float() const {
#ifdef __CUDA_ARCH__
    return __half2float(__ushort_as_half(x));
#else
    return FromHalfBits(x);
#endif
  }
#ifdef __CUDACC__
  COPPICE_BOTH Half(const __half& value) {
    x = *reinterpret_cast<const unsigned short*>(&value);
  }
  COPPICE_BOTH operator __half() const {
    return *reinterpret_cast<const __half*>(&x);
  }
#endif
};

struct alignas(2) BFloat16 {
  unsigned short x;
  struct from_bits_t {};
  static constexpr COPPICE_BOTH from_bits_t from_bits() { return {}; }
  BFloat16() = default;
  constexpr COPPICE_BOTH BFloat16(unsigned short bits, from_bits_t) : x(bits) {}
  COPPICE_BOTH BFloat16(float value) { x = BFloatBits(value); }
  COPPICE_BOTH operator float() const {
    return FloatOf(static_cast<std::uint32_t>(x) << 16);
  }
#ifdef __CUDACC__
  COPPICE_BOTH BFloat16(const __nv_bfloat16& value) {
    x = *reinterpret_cast<const unsigned short*>(&value);
  }
  explicit COPPICE_BOTH operator __nv_bfloat16() const {
    return *reinterpret_cast<const __nv_bfloat16*>(&x);
  }
#endif
};

#define COPPICE_ARITHMETIC(T, op)                                   \
  COPPICE_BOTH inline T operator op(const T& a, const T& b) {       \
    return static_cast<float>(a) op static_cast<float>(b);          \
  }                                                                 \
  COPPICE_BOTH inline float operator op(T a, float b) {             \
    return static_cast<float>(a) op b;                              \
  }                                                                 \
  COPPICE_BOTH inline float operator op(float a, T b) {             \
    return a op static_cast<float>(b);                              \
  }                                                                 \
  COPPICE_BOTH inline double operator op(T a, double b) {           \
    return static_cast<double>(static_cast<float>(a)) op b;         \
  }                                                                 \
  COPPICE_BOTH inline double operator op(double a, T b) {           \
    return a op static_cast<double>(static_cast<float>(b));         \
  }                                                                 \
  COPPICE_BOTH inline T operator op(T a, int b) {                   \
    return a op T(static_cast<float>(b));                           \
  }                                                                 \
  COPPICE_BOTH inline T operator op(int a, T b) {                   \
    return T(static_cast<float>(a)) op b;                           \
  }                                                                 \
  COPPICE_BOTH inline T operator op(T a, std::int64_t b) {          \
    return a op T(static_cast<float>(b));                           \
  }                                                                 \
  COPPICE_BOTH inline T operator op(std::int64_t a, T b) {          \
    return T(static_cast<float>(a)) op b;                           \
  }                                                                 \
  COPPICE_BOTH inline T& operator op##=(T& a, const T& b) {         \
    return a = a op b;                                              \
  }                                                                 \
  COPPICE_BOTH inline float& operator op##=(float& a, const T& b) { \
    return a op## = static_cast<float>(b);                          \
  }
#define COPPICE_NUMBER(T)                       \
  COPPICE_ARITHMETIC(T, +)                      \
  COPPICE_ARITHMETIC(T, -)                      \
  COPPICE_ARITHMETIC(T, *)                      \
  COPPICE_ARITHMETIC(T, /)                      \
  COPPICE_BOTH inline T operator-(const T& a) { \
    return T(-static_cast<float>(a));           \
  }
COPPICE_NUMBER(Half)
COPPICE_NUMBER(BFloat16)
#undef COPPICE_NUMBER
#undef COPPICE_ARITHMETIC

}  // namespace lookalike
