#include "eval/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

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

Comparison CompareFloats(const std::vector<float>& got,
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
  const Comparison comparison = CompareFloats({beyond}, {1.0}, {1.0});
  EXPECT_EQ(comparison.wrong, 1u);
  EXPECT_DOUBLE_EQ(comparison.worst_error_ratio, 2.0);
  EXPECT_DOUBLE_EQ(comparison.max_absolute_error, 16 * kUnit);
  EXPECT_DOUBLE_EQ(comparison.max_relative_error, 16 * kUnit);
}

TEST(CompareTest, NanNeverPasses) {
  const Comparison got = CompareFloats({1.0f, kNan}, {1.0, 2.0}, {1.0, 1e30});
  EXPECT_EQ(got.wrong, 1u);
  EXPECT_EQ(got.first_wrong, 1u);
  EXPECT_TRUE(std::isinf(got.worst_error_ratio));
  EXPECT_EQ(CompareFloats({kNan}, {std::nan("")}, {1.0}).wrong, 1u);
  EXPECT_EQ(CompareFloats({1.0f}, {1.0}, {std::nan("")}).wrong, 1u);
}

TEST(CompareTest, AnInfinityPassesOnlyWhereItBelongs) {
  EXPECT_EQ(CompareFloats({kInf}, {kInf}, {1.0}).wrong, 0u);
  EXPECT_EQ(CompareFloats({-kInf}, {kInf}, {1.0}).wrong, 1u);
  EXPECT_EQ(CompareFloats({kInf}, {1.0}, {1.0}).wrong, 1u);
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
  const Comparison comparison =
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

}  // namespace
}  // namespace coppice::eval
