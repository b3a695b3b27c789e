#include "engine/own/wide_number.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

// As an oracle with doubles has it.
using Wide_ = long double;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include "engine/own/number_template.inc"
#pragma GCC diagnostic pop

namespace coppice::engine::own {
namespace {

using Single = Real_<24>;
using Double = Real_<53>;
using testing::HasSubstr;

// What an oracle says of it: the error in units of u, beside its value.
template <int k>
double Magnitude(const Real_<k>& x) {
  double value = 0.0;
  double magnitude = 0.0;
  Give_(x, &value, &magnitude);
  return magnitude;
}

TEST(WideNumberTest, ANumberThatIsGivenIsRoundedToItsTypeAndHasNoError) {
  const Single tenth = 0.1;
  EXPECT_EQ(static_cast<float>(tenth.v), 0.1f);
  EXPECT_NE(static_cast<double>(tenth.v), 0.1);
  EXPECT_EQ(Magnitude(tenth), 0.0);
  EXPECT_EQ(static_cast<double>(Double(0.1).v), 0.1);
}

// Three additions of magnitudes that come to 4: sqrt(3) u 4.
TEST(WideNumberTest, ASumErrsByTheRootOfItsTermsTimesTheirMagnitudes) {
  Single sum = 1.0f;
  for (int i = 0; i < 3; ++i) sum += 1;
  EXPECT_EQ(sum.v, 4);
  EXPECT_DOUBLE_EQ(Magnitude(sum), std::sqrt(3.0) * 4);
}

// However small the sum is, its terms were as large: two additions of 200.
TEST(WideNumberTest, ADifferenceOfNearNumbersKeepsTheErrorOfItsTerms) {
  const Single rest = Single(100) + Single(0.5f) - Single(99.5f);
  EXPECT_EQ(rest.v, 1);
  EXPECT_DOUBLE_EQ(Magnitude(rest), std::sqrt(2.0) * 200);
}

// 15 u of its own, beside h; 2 u of an exact quotient of 2.
TEST(WideNumberTest, ProductsAndQuotientsErrByOneRounding) {
  EXPECT_DOUBLE_EQ(Magnitude(Single(3) * Single(5)), 15.0);
  EXPECT_DOUBLE_EQ(Magnitude(Single(6) / 3), 2.0);
}

// 1 + 1 errs by 2 u; times 3 that is 6 u, and 6 u of its own.  6 / (1 + 1):
// 3 of its own, and 6 / 2^2 times 2.
TEST(WideNumberTest, ErrorsAreCarriedByDerivatives) {
  const Single two = Single(1) + Single(1);
  EXPECT_DOUBLE_EQ(Magnitude(two * 3), std::sqrt(36.0 + 36.0));
  EXPECT_DOUBLE_EQ(Magnitude(Single(6) / two), std::sqrt(9.0 + 9.0));
}

// Roots of 4 with one rounding of 2 u; with an argument that is off by 4 u,
// half of 4 u / sqrt(4) more.  exp(0) is 1, off by 4 u.
TEST(WideNumberTest, FunctionsAreComputedAtBothEndsOfTheirArgumentsError) {
  EXPECT_DOUBLE_EQ(Magnitude(sqrt(Single(4))), 2.0);
  EXPECT_NEAR(Magnitude(sqrt(Single(2) + Single(2))), std::sqrt(5.0), 1e-6);
  EXPECT_DOUBLE_EQ(Magnitude(expf(Single(0))), 4.0);
  EXPECT_EQ(Magnitude(floor(Single(2.5f))), 0.0);
}

// When a result in float64 is given back, its last bit is uncertain, too.
TEST(WideNumberTest, ADoubleIsOffByWhatItIsGivenBackIn) {
  EXPECT_DOUBLE_EQ(Magnitude(Double(3) * Double(5)), 15.0 + 15.0);
  EXPECT_EQ(Magnitude(Double(7)), 0.0);
}

// The product is a double's; as a float it is rounded once more, by 2^29 times
// as much.
TEST(WideNumberTest, MixedTypesAreTheWiderOneUntilTheyAreStored) {
  const auto product = Single(3) * Double(5);
  static_assert(std::is_same_v<decltype(product), const Double>);
  const Single stored = product;
  EXPECT_NEAR(Magnitude(stored), 15.0, 1e-6);
  static_assert(std::is_same_v<decltype(Single(1) + 1), Single>);
  static_assert(std::is_same_v<decltype(Single(1) + 1.0), Double>);
}

TEST(WideNumberTest, ComparesByValueAndChoosesWithTheWorseError) {
  const Single two = Single(1) + Single(1);
  EXPECT_TRUE(two == 2 && two > 1.5f && !(two < 2));
  EXPECT_EQ(max(two, Single(1)).v, 2);
  EXPECT_DOUBLE_EQ(Magnitude(max(two, Single(3))), 2.0);
  EXPECT_DOUBLE_EQ(Magnitude(max({two, Single(3), Single(1)})), 2.0);
  EXPECT_EQ(min(3, 2), 2);
  EXPECT_EQ(fminf(Single(-1), Single(1)).v, -1);
  EXPECT_EQ(fabs(Single(-3)).v, 3);
  EXPECT_EQ(fmax(std::numeric_limits<Single>::quiet_NaN(), Single(1)).v, 1);
}

TEST(WideNumberTest, WhatIsNotFiniteIsHeldToItself) {
  double value = 0.0;
  double magnitude = 1.0;
  Give_(Single(1) / Single(0), &value, &magnitude);
  EXPECT_TRUE(std::isinf(value));
  EXPECT_EQ(magnitude, 0.0);
  EXPECT_EQ(std::numeric_limits<Single>::max().v,
            std::numeric_limits<float>::max());
}

TEST(WideNumberTest, IntegersHaveNoError) {
  double value = 0.0;
  double magnitude = 1.0;
  Give_(7, &value, &magnitude);
  EXPECT_EQ(value, 7.0);
  EXPECT_EQ(magnitude, 0.0);
  const std::int64_t from[] = {1, 2};
  EXPECT_EQ(Array_<int>(from, 2)[1], 2);
  EXPECT_EQ(Array_<int>(static_cast<const double*>(nullptr), 2)[1], 0);
}

// (1 + 2i)(3 + 4i) = -5 + 10i: real 3 - 8, imaginary 4 + 6, whose products err
// by 3 and 8, 4 and 6, and whose sums by 11 and 10.
TEST(WideNumberTest, ComplexNumbersErrByPart) {
  using Complex = std::complex<Single>;
  const Complex z = Complex(1, 2) * Complex(3, 4);
  double parts[2];
  double magnitudes[2];
  Give_(z, parts, magnitudes);
  EXPECT_EQ(parts[0], -5);
  EXPECT_EQ(parts[1], 10);
  EXPECT_DOUBLE_EQ(magnitudes[0], std::sqrt(9.0 + 64.0 + 121.0));
  EXPECT_DOUBLE_EQ(magnitudes[1], std::sqrt(16.0 + 36.0 + 100.0));
  const double from[] = {1, 2, 3, 4};
  EXPECT_EQ(Pairs_<Complex>(from, 2)[1].imag().v, 4);
  Complex_<Single> sum = 0;
  sum += z;
  EXPECT_EQ(sum.real().v, -5);
}

// Every bit counts: a double would lose eleven of them.
TEST(WideNumberTest, SixtyFourBitsAreTwoHalves) {
  const std::int64_t from[] = {0xfffffffe, 1};
  const auto words = Pairs_<std::uint64_t>(from, 1);
  EXPECT_EQ(words[0], 0x1fffffffeu);
  double halves[2];
  double magnitudes[2];
  GivePair_(words[0], halves, magnitudes);
  EXPECT_EQ(halves[0], 0xfffffffe);
  EXPECT_EQ(halves[1], 1);
  EXPECT_EQ(magnitudes[0], 0.0);
}

TEST(WideNumberTest, TextsAreRewrittenByTheirTokens) {
  EXPECT_EQ(InWideNumbers("float y = std::sqrt(x);  // float"),
            "Real_<24> y = sqrt(x);  // float");
  EXPECT_EQ(InWideNumbers("std::vector<double> floats(n);"),
            "std::vector<Real_<53>> floats(n);");
  EXPECT_EQ(InWideNumbers("#define REAL float\n"), "#define REAL Real_<24>\n");
  EXPECT_EQ(InWideNumbers("#include <float.h>\n"), "#include <float.h>\n");
  EXPECT_EQ(WideType("double"), "Real_<53>");
  EXPECT_EQ(WideType("int"), "int");
}

// "erf" ends in "f" and is of doubles; nobody has an "erfcff".
TEST(WideNumberTest, AFunctionOfFloatsIsThatOfDoublesWithAnF) {
  for (const char* name : {"sqrt", "sqrtf", "erf", "erff", "erfcf", "max",
                           "isfinite", "log1pf", "fma", "fmaf"}) {
    EXPECT_TRUE(IsMathFunction(name)) << name;
  }
  for (const char* name : {"", "f", "er", "erfcff", "vector", "swap", "Sqrt"}) {
    EXPECT_FALSE(IsMathFunction(name)) << name;
  }
}

TEST(WideNumberTest, DoublesNeedLongDoubles) {
  EXPECT_THAT(NumberText(true), HasSubstr("using Wide_ = long double;"));
  EXPECT_THAT(NumberText(false), HasSubstr("using Wide_ = double;"));
}

// NVRTC has no host's headers, and no memory to be had.
TEST(WideNumberTest, OnADeviceThereIsWhatItCompiles) {
  const std::string text = DeviceNumberText();
  EXPECT_THAT(text, HasSubstr("using Wide_ = double;"));
  EXPECT_THAT(text, HasSubstr("void Give_("));
  for (const char* absent : {"<memory>", "numeric_limits", "make_unique"}) {
    EXPECT_EQ(text.find(absent), text.npos) << absent;
  }
}

}  // namespace
}  // namespace coppice::engine::own
