#include "agents/catalogue/math_helpers.h"

#include <array>

namespace coppice::agents::catalogue {
namespace {

// Cody and Waite 1980: x = n ln 2 + r with |r| <= ln(2) / 2; e^r by its series
// with the coefficients of a minimax fit (Cephes expf, Moshier 1989), 2^n by
// the exponent's bits.  Adding 1.5 * 2^23 rounds to an integer.
constexpr std::string_view kExp =
    R"(static inline float VectorExp(float x) {
  x = x < -87.0f ? -87.0f : x;
  x = x > 88.0f ? 88.0f : x;
  const float shifted = x * 1.44269504f + 12582912.0f;
  const float n = shifted - 12582912.0f;
  const float r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r + 1.0f;
  const int bits = __builtin_bit_cast(int, p) + (static_cast<int>(n) << 23);
  return __builtin_bit_cast(float, bits);
}
)";

constexpr std::string_view kRoughExp =
    R"(static inline float RoughExp(float x) {
  x = x < -87.0f ? -87.0f : x;
  x = x > 88.0f ? 88.0f : x;
  const float shifted = x * 1.44269504f + 12582912.0f;
  const float n = shifted - 12582912.0f;
  const float r = x - n * 0.693147181f;
  const float p = ((0.16666667f * r + 0.5f) * r + 1.0f) * r + 1.0f;
  const int bits = __builtin_bit_cast(int, p) + (static_cast<int>(n) << 23);
  return __builtin_bit_cast(float, bits);
}
)";

// Cephes tanhf: an odd polynomial near 0, where the other form cancels.
constexpr std::string_view kTanh =
    R"(static inline float VectorTanh(float x) {
  const float z = x < 0.0f ? -x : x;
  const float s = x * x;
  float p = -5.70498872745e-3f;
  p = p * s + 2.06390887954e-2f;
  p = p * s - 5.37397155531e-2f;
  p = p * s + 1.33314422036e-1f;
  p = p * s - 3.33332819422e-1f;
  const float small = p * s * x + x;
  const float large = 1.0f - 2.0f / (VectorExp(2.0f * z) + 1.0f);
  const float other = x < 0.0f ? -large : large;
  return z < 0.625f ? small : other;
}
)";

constexpr std::string_view kQuickTanh =
    R"(static inline float QuickTanh(float x) {
  return 1.0f - 2.0f / (VectorExp(2.0f * x) + 1.0f);
}
)";

// A rational fit of low degree; clamped where tanh is 1 to float's precision.
constexpr std::string_view kRoughTanh =
    R"(static inline float RoughTanh(float x) {
  x = x < -4.97f ? -4.97f : x;
  x = x > 4.97f ? 4.97f : x;
  const float s = x * x;
  return x * (135135.0f + s * (17325.0f + s * (378.0f + s))) /
         (135135.0f + s * (62370.0f + s * (3150.0f + s * 28.0f)));
}
)";

// Odd polynomial near 0; beyond, 1 - exp(polynomial).
constexpr std::string_view kErf =
    R"(static inline float VectorErf(float x) {
  const float t = x < 0.0f ? -x : x;
  const float s = x * x;
  float e = -1.72853470e-5f * t + 3.83197126e-4f;
  e = e * s + (-3.88396438e-3f * t + 2.42546219e-2f);
  e = e * t - 1.06777877e-1f;
  e = e * t - 6.34846687e-1f;
  e = e * t - 1.28717512e-1f;
  e = e * t - t;
  const float large = 1.0f - VectorExp(e);
  const float other = x < 0.0f ? -large : large;
  float p = -5.96761703e-4f;
  p = p * s + 4.99119423e-3f;
  p = p * s - 2.67681349e-2f;
  p = p * s + 1.12819925e-1f;
  p = p * s - 3.76125336e-1f;
  p = p * s + 1.28379166e-1f;
  const float small = p * x + x;
  return t > 0.927734375f ? other : small;
}
)";

// Cephes logf: x = 2^n m with m in [sqrt(1/2), sqrt(2)).  For normal x > 0.
constexpr std::string_view kLog =
    R"(static inline float VectorLog(float x) {
  const int bits = __builtin_bit_cast(int, x);
  const int n = (bits - 0x3f3504f3) >> 23;
  const float m = __builtin_bit_cast(float, bits - (n << 23)) - 1.0f;
  const float s = m * m;
  float p = 7.0376836292e-2f;
  p = p * m - 1.1514610310e-1f;
  p = p * m + 1.1676998740e-1f;
  p = p * m - 1.2420140846e-1f;
  p = p * m + 1.4249322787e-1f;
  p = p * m - 1.6668057665e-1f;
  p = p * m + 2.0000714765e-1f;
  p = p * m - 2.4999993993e-1f;
  p = p * m + 3.3333331174e-1f;
  const float e = static_cast<float>(n);
  return (m * s * p + e * -2.12194440e-4f - 0.5f * s) + m +
         e * 0.693359375f;
}
)";

constexpr std::array<MathHelper, 7> kHelpers = {{
    {"exp", "", "VectorExp", kExp, ""},
    {"exp", "rough", "RoughExp", kRoughExp, ""},
    {"tanh", "", "VectorTanh", kTanh, "VectorExp"},
    {"tanh", "quick", "QuickTanh", kQuickTanh, "VectorExp"},
    {"tanh", "rough", "RoughTanh", kRoughTanh, ""},
    {"erf", "", "VectorErf", kErf, "VectorExp"},
    {"log", "", "VectorLog", kLog, ""},
}};

}  // namespace

const MathHelper* FindMathHelper(std::string_view function,
                                 std::string_view variant) {
  for (const MathHelper& helper : kHelpers) {
    if (helper.replaces == function && helper.variant == variant) {
      return &helper;
    }
  }
  return nullptr;
}

std::vector<std::string> HelperSources(const MathHelper& helper) {
  std::vector<std::string> sources;
  for (const MathHelper& other : kHelpers) {
    if (other.name == helper.needs) sources.emplace_back(other.source);
  }
  sources.emplace_back(helper.source);
  return sources;
}

}  // namespace coppice::agents::catalogue
