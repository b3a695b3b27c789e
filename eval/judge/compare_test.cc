#include "eval/judge/compare.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace coppice::eval {
namespace {

constexpr double kUnit = 0x1p-24;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

template <class T>
std::vector<std::byte> Bytes(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

TensorShape Vector(std::int64_t n, DType dtype = DType::kFloat32) {
  return {"y", dtype, false, {n}, static_cast<std::size_t>(n)};
}

OutputComparison CompareFloats(const std::vector<float>& got,
                               const std::vector<double>& values,
                               const std::vector<double>& magnitudes) {
  const Expected expected =
      MakeExpected(values, magnitudes, {.factor = 8.0}, DType::kFloat32);
  return Compare(Bytes(got), Vector(std::ssize(got)), expected, 0);
}

// Allowed: 8 * 2^-24 * m.  With m = 1 an error of exactly 8 units passes with
// ratio 1; of 16 units it fails with ratio 2.
TEST(CompareTest, AllowsFactorTimesUnitTimesMagnitude) {
  const float edge = 1.0f + static_cast<float>(8 * kUnit);
  EXPECT_EQ(CompareFloats({edge}, {1.0}, {1.0}).wrong, 0u);
  EXPECT_DOUBLE_EQ(CompareFloats({edge}, {1.0}, {1.0}).worst_error_ratio, 1.0);
  const float beyond = 1.0f + static_cast<float>(16 * kUnit);
  const OutputComparison comparison = CompareFloats({beyond}, {1.0}, {1.0});
  EXPECT_EQ(comparison.wrong, 1u);
  EXPECT_DOUBLE_EQ(comparison.worst_error_ratio, 2.0);
  EXPECT_DOUBLE_EQ(comparison.max_absolute_error, 16 * kUnit);
  EXPECT_DOUBLE_EQ(comparison.max_relative_error, 16 * kUnit);
}

// The same in float64: 8 and 16 times 2^-53.
TEST(CompareTest, DoublesHaveAUnitOfTheirOwn) {
  const auto compare = [](double got) {
    const Expected expected =
        MakeExpected({1.0}, std::vector{1.0}, {.factor = 8.0}, DType::kFloat64);
    return Compare(Bytes(std::vector{got}), Vector(1, DType::kFloat64),
                   expected, 0);
  };
  EXPECT_EQ(compare(1.0 + 0x1p-50).wrong, 0u);
  EXPECT_EQ(compare(1.0 + 0x1p-49).wrong, 1u);
  EXPECT_EQ(compare(1.0f + 0x1p-24f * 2).wrong, 1u);
}

// 200, 60000 and 3 * 10^9 are no numbers of the types with signs.
TEST(CompareTest, IntegersWithoutASignAreRead) {
  const auto right = [](const auto value, DType dtype) {
    const Expected expected =
        MakeExpected({static_cast<double>(value)}, std::vector{0.0}, {}, dtype);
    return Compare(Bytes(std::vector{value}), Vector(1, dtype), expected, 0)
               .wrong == 0;
  };
  EXPECT_TRUE(right(std::uint8_t{200}, DType::kUInt8));
  EXPECT_TRUE(right(std::uint16_t{60000}, DType::kUInt16));
  EXPECT_TRUE(right(std::uint32_t{3'000'000'000}, DType::kUInt32));
}

TEST(CompareTest, NanNeverPasses) {
  const OutputComparison got =
      CompareFloats({1.0f, kNan}, {1.0, 2.0}, {1.0, 1e30});
  EXPECT_EQ(got.wrong, 1u);
  EXPECT_EQ(got.first_wrong, 1u);
  EXPECT_TRUE(std::isinf(got.worst_error_ratio));
  EXPECT_EQ(CompareFloats({1.0f}, {1.0}, {std::nan("")}).wrong, 1u);
}

// Where the oracle computes NaN, it must be NaN; where it wrote nothing,
// nothing passes.
TEST(CompareTest, NanPassesOnlyWhereItBelongs) {
  EXPECT_EQ(CompareFloats({kNan}, {std::nan("")}, {1.0}).wrong, 0u);
  EXPECT_EQ(CompareFloats({kNan}, {std::nan("")}, {std::nan("")}).wrong, 0u);
  EXPECT_EQ(CompareFloats({kInf}, {std::nan("")}, {kInf}).wrong, 1u);
  EXPECT_EQ(CompareFloats({0.0f}, {std::nan("")}, {kInf}).wrong, 1u);
  const auto unwritten = std::bit_cast<double>(kOracleUnwritten);
  EXPECT_EQ(CompareFloats({kNan}, {unwritten}, {unwritten}).wrong, 1u);
  EXPECT_EQ(CompareFloats({1.0f}, {1.0}, {unwritten}).wrong, 1u);
}

TEST(CompareTest, AnInfinityPassesOnlyWhereItBelongs) {
  EXPECT_EQ(CompareFloats({kInf}, {kInf}, {1.0}).wrong, 0u);
  EXPECT_EQ(CompareFloats({-kInf}, {kInf}, {1.0}).wrong, 1u);
  EXPECT_EQ(CompareFloats({kInf}, {1.0}, {1.0}).wrong, 1u);
}

// An error without a bound is no permission.
TEST(CompareTest, AnInfiniteMagnitudeAllowsNothing) {
  EXPECT_EQ(CompareFloats({1.0f}, {1.0}, {kInf}).wrong, 1u);
  EXPECT_EQ(CompareFloats({5.0f}, {1.0}, {kInf}).wrong, 1u);
}

// The largest float is 2^128 - 2^104; 2^128 - 2^103 and more is infinity.
TEST(CompareTest, AResultBeyondTheRangeIsInfinity) {
  EXPECT_EQ(CompareFloats({kInf}, {0x1p128}, {0x1p128}).wrong, 0u);
  EXPECT_EQ(CompareFloats({-kInf}, {0x1p128}, {0x1p128}).wrong, 1u);
  EXPECT_EQ(CompareFloats({kInf}, {0x1p127}, {0x1p127}).wrong, 1u);
  // Within 8 u of it.
  EXPECT_EQ(CompareFloats({kInf}, {0x1.fffffcp127}, {0x1p128}).wrong, 0u);
}

// m = 2^-140 alone would allow 2^-161, which no float can keep.
TEST(CompareTest, AllowsForUnderflowUnlessEqualityIsAsked) {
  const float least = std::numeric_limits<float>::denorm_min();  // 2^-149.
  EXPECT_EQ(CompareFloats({least}, {0x1p-150}, {0x1p-140}).wrong, 0u);
  EXPECT_EQ(CompareFloats({0.0f}, {0x1p-150}, {0x1p-140}).wrong, 0u);
  EXPECT_EQ(CompareFloats({8 * least}, {0x1p-150}, {0x1p-140}).wrong, 1u);
  EXPECT_EQ(CompareFloats({least}, {0.0}, {0.0}).wrong, 1u);
}

// One spacing above 1 is 2^-10 = 2 u in float16 and 2^-7 = 2 u in bfloat16.
TEST(CompareTest, TheUnitIsThatOfTheOutputsType) {
  EXPECT_EQ(UnitRoundoff(DType::kFloat32), kUnit);
  EXPECT_EQ(UnitRoundoff(DType::kInt32), 0.0);
  const auto wrong = [](DType dtype, std::uint16_t got, double factor) {
    const Expected expected = MakeExpected({1.0}, std::vector<double>{1.0},
                                           {.factor = factor}, dtype);
    return Compare(Bytes(std::vector{got}), Vector(1, dtype), expected, 0)
        .wrong;
  };
  EXPECT_EQ(wrong(DType::kFloat16, 0x3c00, 1.0), 0u);
  EXPECT_EQ(wrong(DType::kFloat16, 0x3c01, 1.0), 1u);
  EXPECT_EQ(wrong(DType::kFloat16, 0x3c01, 2.0), 0u);
  EXPECT_EQ(wrong(DType::kFloat16, 0x7e00, 2.0), 1u);  // NaN.
  EXPECT_EQ(wrong(DType::kBFloat16, 0x3f80, 1.0), 0u);
  EXPECT_EQ(wrong(DType::kBFloat16, 0x3f81, 1.0), 1u);
  EXPECT_EQ(wrong(DType::kBFloat16, 0x3f81, 2.0), 0u);
  // 70000 is beyond float16's 65504.
  const Expected beyond =
      MakeExpected({70000.0}, std::vector<double>{1.0}, {}, DType::kFloat16);
  EXPECT_EQ(Compare(Bytes(std::vector<std::uint16_t>{0x7c00}),
                    Vector(1, DType::kFloat16), beyond, 0)
                .wrong,
            0u);
}

// Wherever the one wrong element lies: ends, middle, on both sides of every
// vector, page and tile border, and everywhere in a short tensor.
TEST(CompareTest, FindsOneWrongElementAnywhere) {
  constexpr std::size_t kCount = 66'000;
  std::vector<float> got(kCount, 1.0f);
  const Expected expected =
      MakeExpected(std::vector<double>(kCount, 1.0),
                   std::vector<double>(kCount, 1.0), {}, DType::kFloat32);
  std::vector<std::size_t> places = {0, kCount / 2, kCount - 1};
  for (std::size_t border = 1; border < kCount; border *= 2) {
    places.insert(places.end(), {border - 1, border, border + 1});
  }
  for (std::size_t i = 0; i < 600; ++i) places.push_back(i);
  for (const std::size_t place : places) {
    for (const float wrong : {1.001f, kNan, kInf, -1.0f, 0.0f, 1e-40f}) {
      got[place] = wrong;
      const OutputComparison comparison =
          Compare(Bytes(got), Vector(kCount), expected, 0);
      ASSERT_EQ(comparison.wrong, 1u) << place;
      ASSERT_EQ(comparison.first_wrong, place);
    }
    got[place] = 1.0f;
  }
}

// 2 units on a value of 1 are the largest relative error; 3 units on one of 2
// are the largest absolute one, and 3 of 8 allowed.
TEST(CompareTest, TheLargestErrorsAreFoundAnywhere) {
  constexpr std::size_t kCount = 400;
  const std::vector<double> values(kCount, 1.0);
  for (std::size_t place = 1; place < kCount; ++place) {
    std::vector<float> got(kCount, 1.0f);
    std::vector<double> expected = values;
    got[0] = 1.0f + static_cast<float>(2 * kUnit);
    got[place] = 2.0f + static_cast<float>(4 * kUnit);
    expected[place] = 2.0 + 1 * kUnit;
    const OutputComparison comparison = CompareFloats(got, expected, values);
    ASSERT_EQ(comparison.wrong, 0u);
    ASSERT_EQ(comparison.worst_error_ratio, 3.0 / 8.0) << place;
    ASSERT_EQ(comparison.max_absolute_error, 3 * kUnit) << place;
    ASSERT_EQ(comparison.max_relative_error, 2 * kUnit) << place;
  }
}

TEST(CompareTest, OneWrongElementAmongManyIsFoundInEveryType) {
  const auto wrong = [](auto right, auto other, double value, DType dtype) {
    const Expected expected =
        MakeExpected(std::vector<double>(300, value),
                     std::vector<double>(300, 1.0), {}, dtype);
    std::size_t sum = 0;
    for (std::size_t place = 0; place < 300; ++place) {
      std::vector<decltype(right)> got(300, right);
      got[place] = other;
      const OutputComparison comparison =
          Compare(Bytes(got), Vector(300, dtype), expected, 0);
      EXPECT_EQ(comparison.first_wrong, place);
      sum += comparison.wrong;
    }
    return sum;
  };
  EXPECT_EQ(wrong(std::int64_t{5}, std::int64_t{6}, 5, DType::kInt64), 300u);
  EXPECT_EQ(wrong(std::int32_t{5}, std::int32_t{6}, 5, DType::kInt32), 300u);
  EXPECT_EQ(wrong(std::int16_t{5}, std::int16_t{6}, 5, DType::kInt16), 300u);
  EXPECT_EQ(wrong(std::int8_t{5}, std::int8_t{6}, 5, DType::kInt8), 300u);
  EXPECT_EQ(wrong(std::uint8_t{1}, std::uint8_t{2}, 1, DType::kBool), 300u);
  // 1.0 and 1.5.
  EXPECT_EQ(
      wrong(std::uint16_t{0x3c00}, std::uint16_t{0x3e00}, 1, DType::kFloat16),
      300u);
  EXPECT_EQ(
      wrong(std::uint16_t{0x3f80}, std::uint16_t{0x3fc0}, 1, DType::kBFloat16),
      300u);
}

// NaN, magnitudes of 0 and of infinity, each between ordinary elements.
TEST(CompareTest, AnExceptionChangesNothingForItsNeighbours) {
  std::vector<double> values(300, 1.0), magnitudes(300, 2.0);
  values[130] = std::nan("");
  magnitudes[131] = 0.0;
  magnitudes[299] = std::numeric_limits<double>::infinity();
  const Expected expected =
      MakeExpected(values, magnitudes, {.factor = 8.0}, DType::kFloat32);
  for (std::size_t i = 0; i < 300; ++i) {
    if (i == 130) {
      EXPECT_TRUE(std::isinf(expected.allowed[i]));
    } else if (i == 299) {
      EXPECT_TRUE(std::isnan(expected.allowed[i]));
    } else {
      EXPECT_EQ(expected.allowed[i],
                i == 131 ? 0.0 : 8.0 * (kUnit * 2.0 + 0x1p-150));
    }
  }
}

TEST(CompareTest, AZeroMagnitudeDemandsEquality) {
  EXPECT_EQ(CompareFloats({0.0f}, {0.0}, {0.0}).wrong, 0u);
  EXPECT_EQ(CompareFloats({-0.0f}, {0.0}, {0.0}).wrong, 0u);
  EXPECT_EQ(CompareFloats({1e-40f}, {0.0}, {0.0}).wrong, 1u);
}

TEST(CompareTest, IntegersMustBeEqualWhateverTheMagnitude) {
  const Expected expected =
      MakeExpected({5.0, 6.0}, std::vector<double>{1e9, 1e9}, {.factor = 8.0},
                   DType::kInt32);
  const auto wrong = [&](const std::vector<std::int32_t>& got) {
    return Compare(Bytes(got), Vector(2, DType::kInt32), expected, 0).wrong;
  };
  EXPECT_EQ(wrong({5, 6}), 0u);
  EXPECT_EQ(wrong({5, 7}), 1u);
}

TEST(CompareTest, ABoolIsZeroOrOne) {
  const Expected expected =
      MakeExpected({1.0}, std::vector<double>{0.0}, {}, DType::kBool);
  const auto wrong = [&](std::uint8_t got) {
    return Compare(Bytes(std::vector{got}), Vector(1, DType::kBool), expected,
                   0)
        .wrong;
  };
  EXPECT_EQ(wrong(1), 0u);
  EXPECT_EQ(wrong(2), 1u);
}

TEST(CompareTest, RecognisesPoisonByItsPlace) {
  const std::vector<float> got = {1.0f, 7.0f, 1.0f, 9.0f};
  std::uint64_t pattern;  // The lanes {1, 9}: element 1 holds 7, not its 9.
  const float lanes[2] = {1.0f, 9.0f};
  std::memcpy(&pattern, lanes, sizeof pattern);
  const Expected expected =
      MakeExpected({0, 0, 0, 0}, std::vector<double>(4), {}, DType::kFloat32);
  const OutputComparison comparison =
      Compare(Bytes(got), Vector(4), expected, pattern);
  EXPECT_EQ(comparison.wrong, 4u);
  EXPECT_EQ(comparison.unwritten, 3u);
}

// Element 88 of [6, 17] is row 5, column 3.
TEST(CompareTest, DescribesTheFirstMismatchBySubscripts) {
  std::vector<float> got(102, 1.5f);
  got[88] = 1.25f;
  got[90] = 1.0f;
  const TensorShape shape{"C", DType::kFloat32, false, {6, 17}, 102};
  const Expected expected =
      MakeExpected(std::vector<double>(102, 1.5), std::vector<double>(102, 2.0),
                   {}, DType::kFloat32);
  EXPECT_EQ(Describe(Compare(Bytes(got), shape, expected, 0), shape, expected),
            "output C[5, 3] (element 88): got 1.25, expected 1.5, allowed "
            "error 9.54e-07; 2 of 102 elements wrong");
}

TEST(CompareTest, ElementsHaveTheValueOfTheirType) {
  const auto value = [](auto element, DType dtype) {
    return ElementValue(Bytes(std::vector{element}).data(), dtype);
  };
  EXPECT_EQ(value(std::int64_t{-5'000'000'000}, DType::kInt64), -5e9);
  EXPECT_EQ(value(std::int32_t{-70'000}, DType::kInt32), -70'000.0);
  EXPECT_EQ(value(std::int16_t{-300}, DType::kInt16), -300.0);
  EXPECT_EQ(value(std::int8_t{-7}, DType::kInt8), -7.0);
  EXPECT_EQ(value(std::uint8_t{255}, DType::kBool), 255.0);
  EXPECT_EQ(value(std::uint16_t{0x3e00}, DType::kFloat16), 1.5);
  EXPECT_EQ(value(std::uint16_t{0x3fc0}, DType::kBFloat16), 1.5);
  EXPECT_EQ(value(1.5f, DType::kFloat32), 1.5);
}

// u m + h: 2^-11 and 2^-25 (half of the least, 2^-24) of float16, 2^-8 and
// 2^-134 (of 2^-133) of bfloat16; eight times that.
TEST(CompareTest, TheAllowedErrorHasTheConstantsOfItsType) {
  EXPECT_EQ(UnitRoundoff(DType::kFloat16), 0x1p-11);
  EXPECT_EQ(UnitRoundoff(DType::kBFloat16), 0x1p-8);
  EXPECT_EQ(UnitRoundoff(DType::kBool), 0.0);
  const Tolerance eight{.factor = 8.0};
  EXPECT_EQ(AllowedError(1.0, 2.0, eight, DType::kFloat16),
            8.0 * (0x1p-10 + 0x1p-25));
  EXPECT_EQ(AllowedError(1.0, 0x1p-126, eight, DType::kBFloat16), 0x1p-130);
  EXPECT_EQ(AllowedError(1.0, 2.0, eight, DType::kInt64), 0.0);
  EXPECT_EQ(AllowedError(1.0, 0.0, eight, DType::kFloat32), 0.0);
}

// The largest float16 is 65504 and the next would be 65536: from 65520 on it is
// infinity.  bfloat16: 2^128 - 2^120, and from 2^128 - 2^119 on.
TEST(CompareTest, InfinityBeginsHalfAStepBeyondTheLargest) {
  const auto wrong = [](double value, std::uint16_t got, DType dtype) {
    const Expected expected =
        MakeExpected({value}, std::vector<double>{0.0}, {}, dtype);
    return Compare(Bytes(std::vector{got}), Vector(1, dtype), expected, 0)
        .wrong;
  };
  EXPECT_EQ(wrong(65520.0, 0x7c00, DType::kFloat16), 0u);
  EXPECT_EQ(wrong(65519.0, 0x7c00, DType::kFloat16), 1u);
  EXPECT_EQ(wrong(-65520.0, 0xfc00, DType::kFloat16), 0u);
  EXPECT_EQ(wrong(-65520.0, 0x7c00, DType::kFloat16), 1u);
  EXPECT_EQ(wrong(0x1.ffp127, 0x7f80, DType::kBFloat16), 0u);
  EXPECT_EQ(wrong(0x1.fefp127, 0x7f80, DType::kBFloat16), 1u);
}

// 0.5 on an expected 0 has no relative error; 1 on 4 is a quarter.
TEST(CompareTest, AnExpectedZeroHasNoRelativeError) {
  const OutputComparison zero = CompareFloats({0.5f}, {0.0}, {1.0});
  EXPECT_EQ(zero.max_relative_error, 0.0);
  EXPECT_EQ(zero.max_absolute_error, 0.5);
  const OutputComparison both =
      CompareFloats({0.5f, 5.0f}, {0.0, 4.0}, {1.0, 1.0});
  EXPECT_EQ(both.max_relative_error, 0.25);
  EXPECT_EQ(both.max_absolute_error, 1.0);
  EXPECT_EQ(both.wrong, 2u);
  EXPECT_EQ(both.first_wrong, 0u);
  EXPECT_EQ(both.got, 0.5);
}

TEST(CompareTest, AnErrorWhereNoneIsAllowedIsInfinitelyMany) {
  const OutputComparison got =
      CompareFloats({1.0f, 2.0f}, {1.0, 1.0}, {0.0, 0.0});
  EXPECT_EQ(got.worst_error_ratio, std::numeric_limits<double>::infinity());
  EXPECT_EQ(CompareFloats({1.0f}, {1.0}, {0.0}).worst_error_ratio, 0.0);
}

// A number, NaN or an infinity of the other class is off by infinity or, for a
// NaN that was expected, by what nobody can say.
TEST(CompareTest, AnErrorOfClassIsInfinite) {
  for (const auto& [got, value] :
       {std::pair(kInf, 1.0), {kNan, 1.0}, {1.0f, double{kInf}}}) {
    const OutputComparison comparison = CompareFloats({got}, {value}, {1.0});
    EXPECT_TRUE(std::isinf(comparison.worst_error_ratio));
    EXPECT_TRUE(std::isinf(comparison.max_absolute_error));
  }
}

TEST(CompareTest, DescribesWhatIsNoNumberWithoutItsSign) {
  const TensorShape shape{"s", DType::kFloat32, false, {}, 1};
  EXPECT_EQ(Describe(Mismatch{.element = 0,
                              .got = -std::nan(""),
                              .expected = -2.5,
                              .allowed = 0.0,
                              .wrong = 1,
                              .unwritten = 1},
                     shape),
            "output s[] (element 0): got nan, expected -2.5, allowed error 0; "
            "1 of 1 elements wrong, 1 never written");
}

// Many are looked at together: a sum that is 0 throughout is no difference.
TEST(CompareTest, TheOppositeOfEverythingIsWrongThroughout) {
  const OutputComparison got = CompareFloats(std::vector<float>(256, -1.0f),
                                             std::vector<double>(256, 1.0),
                                             std::vector<double>(256, 1.0));
  EXPECT_EQ(got.wrong, 256u);
  EXPECT_EQ(got.max_absolute_error, 2.0);
}

// Zeros are zeros wherever in an element one begins to read, so that a look at
// the wrong bytes would see nothing.
TEST(CompareTest, FindsOneWrongElementAmongZeros) {
  constexpr std::size_t kElements = 150;
  const std::vector<double> zeros(kElements, 0.0);
  const std::vector<double> ones(kElements, 1.0);
  for (std::size_t i = 0; i < kElements; ++i) {
    std::vector<float> got(kElements, 0.0f);
    got[i] = 1.0f;
    const OutputComparison comparison = CompareFloats(got, zeros, ones);
    ASSERT_EQ(comparison.wrong, 1u) << i;
    ASSERT_EQ(comparison.max_absolute_error, 1.0) << i;
  }
}

}  // namespace
}  // namespace coppice::eval
