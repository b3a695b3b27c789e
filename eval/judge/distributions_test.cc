#include "eval/judge/distributions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "eval/judge/inputs.h"

namespace coppice::eval {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

constexpr std::size_t kRow = 100;

std::vector<float> Sample(Distribution distribution, std::size_t count = 8000,
                          DType dtype = DType::kFloat32) {
  std::vector<float> values(count);
  FillNormal(5, values.data(), count);
  Reshape(distribution, dtype, 6, kRow, values);
  return values;
}

template <class Predicate>
std::size_t Count(const std::vector<float>& values, Predicate predicate) {
  return static_cast<std::size_t>(std::ranges::count_if(values, predicate));
}

TEST(DistributionsTest, NamesAreReadBack) {
  for (int i = 0; i <= static_cast<int>(Distribution::kNan); ++i) {
    const auto distribution = static_cast<Distribution>(i);
    EXPECT_EQ(ParseDistribution(Name(distribution)), distribution);
  }
  EXPECT_EQ(ParseDistribution("odd"), std::nullopt);
  EXPECT_EQ(ParseDistribution(""), std::nullopt);
}

TEST(DistributionsTest, EachIsWhatItsNameSays) {
  using enum Distribution;
  EXPECT_EQ(Count(Sample(kZeros), [](float x) { return x == 0; }), 8000u);
  EXPECT_EQ(Count(Sample(kTies),
                  [](float x) {
                    return std::abs(x) <= 2 && 4 * x == std::trunc(4 * x);
                  }),
            8000u);
  const std::vector<float> sorted = Sample(kSorted);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    ASSERT_TRUE(i % kRow == 0 || sorted[i - 1] <= sorted[i]);
  }
  EXPECT_EQ(Count(Sample(kNegative), [](float x) { return x <= 0; }), 8000u);
  EXPECT_GT(Count(Sample(kTiny),
                  [](float x) { return std::fpclassify(x) == FP_SUBNORMAL; }),
            7000u);
  EXPECT_GT(Count(Sample(kLarge), [](float x) { return std::abs(x) > 1e5f; }),
            7000u);
  EXPECT_EQ(
      Count(Sample(kOffset), [](float x) { return std::abs(x - 4096) < 6; }),
      8000u);
  EXPECT_EQ(Count(Sample(kDominant), [](float x) { return x == 16384; }), 1u);
  EXPECT_EQ(Count(Sample(kInfinity), [](float x) { return std::isinf(x); }),
            8000u / 1000 + 1);
  EXPECT_EQ(Count(Sample(kNan), [](float x) { return std::isnan(x); }),
            8000u / 1000 + 1);
}

TEST(DistributionsTest, NeighboursCancel) {
  const std::vector<float> values = Sample(Distribution::kCancelling);
  for (std::size_t i = 1; i < values.size(); i += 2) {
    ASSERT_LT(std::abs(values[i] + values[i - 1]), 6 * 0x1p-10f);
  }
}

// Who looks at the beginning alone sees N(0, 1).
TEST(DistributionsTest, TheTailIsWildAndTheRestTame) {
  const std::vector<float> values = Sample(Distribution::kWildTail);
  const auto size = [](float a, float b) { return std::abs(a) < std::abs(b); };
  EXPECT_LT(
      std::abs(*std::max_element(values.begin(), values.begin() + 7000, size)),
      6.0f);
  EXPECT_GT(
      std::abs(*std::max_element(values.begin() + 7000, values.end(), size)),
      1024.0f);
}

TEST(DistributionsTest, StayWithinAHalfTypesRange) {
  for (int i = 0; i <= static_cast<int>(Distribution::kExtreme); ++i) {
    for (const float x :
         Sample(static_cast<Distribution>(i), 8000, DType::kFloat16)) {
      ASSERT_LT(std::abs(x), 65520.0f) << i;
    }
  }
}

TEST(DistributionsTest, TakeOneElementAndNone) {
  for (int i = 0; i <= static_cast<int>(Distribution::kNan); ++i) {
    for (const std::size_t count : {0u, 1u, 2u}) {
      EXPECT_THAT(Sample(static_cast<Distribution>(i), count), SizeIs(count));
      std::vector<std::int64_t> integers(count, 7);
      Reshape(static_cast<Distribution>(i), 1, kRow, integers);
    }
  }
}

TEST(DistributionsTest, IntegersStayInTheirRange) {
  for (int i = 0; i <= static_cast<int>(Distribution::kNan); ++i) {
    std::vector<std::int64_t> values = {5, -1024, 1023, 0, 17};
    Reshape(static_cast<Distribution>(i), 1, 5, values);
    for (const std::int64_t value : values) {
      EXPECT_TRUE(-1024 <= value && value <= 1023) << i << ": " << value;
    }
  }
  std::vector<std::int64_t> values = {5, -4, 2};
  Reshape(Distribution::kSorted, 1, 3, values);
  EXPECT_THAT(values, ElementsAre(-4, -1, 2));
}

Result<std::vector<Distribution>> Of(std::vector<std::string> tags) {
  Definition definition;
  definition.name = "op";
  definition.tags = std::move(tags);
  return AdversarialDistributions(definition);
}

TEST(DistributionsTest, TagsSayWhatATasksErrorModelCovers) {
  using enum Distribution;
  EXPECT_THAT(Of({"level:1"}).value(), SizeIs(11));
  const auto chosen = Of({"without:large", "with:nan", "level:1"}).value();
  EXPECT_THAT(chosen, SizeIs(11));
  EXPECT_THAT(chosen, Not(Contains(kLarge)));
  EXPECT_THAT(chosen, Contains(kNan));
  for (const char* tag : {"without:big", "with:", "without:plain"}) {
    const auto bad = Of({tag});
    ASSERT_FALSE(bad) << tag;
    EXPECT_EQ(bad.error().code, Errc::kUsage);
    EXPECT_THAT(bad.error().what, HasSubstr(tag));
  }
}

std::vector<float> Reshaped(Distribution distribution, DType dtype,
                            std::vector<float> values, std::uint64_t seed = 6) {
  Reshape(distribution, dtype, seed, values.size(), values);
  return values;
}

TEST(DistributionsTest, TiesAreQuartersAndNoLargerThanTwo) {
  EXPECT_THAT(Reshaped(Distribution::kTies, DType::kFloat32,
                       {0.1f, 0.13f, 0.9f, 1.99f, 5.0f, -0.3f, -7.0f}),
              ElementsAre(0.0f, 0.25f, 1.0f, 2.0f, 2.0f, -0.25f, -2.0f));
}

TEST(DistributionsTest, ZerosKeepTheirSigns) {
  const auto zeros =
      Reshaped(Distribution::kZeros, DType::kFloat32, {1.0f, -1.0f});
  EXPECT_FALSE(std::signbit(zeros[0]));
  EXPECT_TRUE(std::signbit(zeros[1]));
}

// Powers of two: tiny, large, offset, dominant, and what the tail is scaled by.
struct Scales {
  DType dtype;
  int tiny, large, offset, dominant, tail;
};

TEST(DistributionsTest, EachTypeHasItsScales) {
  using enum Distribution;
  for (const Scales& scales : {Scales{DType::kFloat32, -130, 20, 12, 14, 10},
                               {DType::kFloat16, -18, 6, 4, 8, 4},
                               {DType::kBFloat16, -130, 20, 3, 14, 10}}) {
    const auto power = [](int exponent) { return std::ldexp(1.0f, exponent); };
    const std::vector<float> ones(8, 1.0f);
    const auto first = [&](Distribution distribution) {
      return Reshaped(distribution, scales.dtype, ones)[0];
    };
    EXPECT_EQ(first(kTiny), power(scales.tiny));
    EXPECT_EQ(first(kLarge), power(scales.large));
    EXPECT_EQ(first(kOffset), 1.0f + power(scales.offset));
    const auto dominant = Reshaped(kDominant, scales.dtype, ones);
    EXPECT_EQ(*std::ranges::max_element(dominant), power(scales.dominant));
    // Only the last of eight values is wild.
    const auto wild = Reshaped(kWildTail, scales.dtype, ones);
    EXPECT_EQ(wild[6], 1.0f);
    EXPECT_EQ(wild[7], power(scales.tail));
  }
}

// 2^12 and 2^-12 of 1; 2^4 and 2^-4 of float16.
TEST(DistributionsTest, ScalesReachBothEnds) {
  for (const auto& [dtype, most] :
       {std::pair(DType::kFloat32, 12), {DType::kFloat16, 4}}) {
    const auto values =
        Reshaped(Distribution::kScales, dtype, std::vector<float>(2000, 1.0f));
    EXPECT_EQ(*std::ranges::min_element(values), std::ldexp(1.0f, -most));
    EXPECT_EQ(*std::ranges::max_element(values), std::ldexp(1.0f, most));
  }
}

// 2000 elements have three of each: the largest, and the least that is no
// subnormal.
TEST(DistributionsTest, ExtremesAreThoseOfTheType) {
  struct Ends {
    DType dtype;
    float greatest, least;
  };
  for (const auto& [dtype, greatest, least] :
       {Ends{DType::kFloat32, 0x1.fffffep127f, 0x1p-126f},
        {DType::kFloat16, 65504.0f, 0x1p-14f},
        {DType::kBFloat16, 0x1.fep127f, 0x1p-126f}}) {
    const auto values =
        Reshaped(Distribution::kExtreme, dtype, std::vector<float>(2000, 1.0f));
    EXPECT_EQ(
        Count(values, [end = greatest](float x) { return std::abs(x) == end; }),
        3u);
    EXPECT_EQ(
        Count(values, [end = least](float x) { return std::abs(x) == end; }),
        3u);
  }
}

// b 2^-10 - a of a and b; the last of an odd number has no neighbour.
TEST(DistributionsTest, OfTwoNeighboursTheSecondTakesTheFirstAway) {
  EXPECT_THAT(Reshaped(Distribution::kCancelling, DType::kFloat32,
                       {3.0f, 1024.0f, 5.0f}),
              ElementsAre(3.0f, -2.0f, 5.0f));
}

// Rows of three: within [-3, -1), [-1, 1) and [1, 3).
TEST(DistributionsTest, EveryRowIsSortedFromMinusThreeToThree) {
  std::vector<float> values(6);
  Reshape(Distribution::kSorted, DType::kFloat32, 1, 3, values);
  for (std::size_t i = 0; i < 6; ++i) {
    const float low = -3.0f + 2.0f * static_cast<float>(i % 3);
    EXPECT_TRUE(low <= values[i] && values[i] <= low + 2.0f) << values[i];
  }
  EXPECT_NE(values[0], values[3]);  // No row is another's copy.
}

TEST(DistributionsTest, TheSeedChoosesThePlace) {
  std::set<std::size_t> places;
  std::set<bool> signs;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const std::vector<float> zeros(10);
    const auto dominant =
        Reshaped(Distribution::kDominant, DType::kFloat32, zeros, seed);
    places.insert(static_cast<std::size_t>(std::ranges::max_element(dominant) -
                                           dominant.begin()));
    const auto infinite =
        Reshaped(Distribution::kInfinity, DType::kFloat32, zeros, seed);
    signs.insert(std::ranges::any_of(infinite, [](float x) { return x < 0; }));
  }
  EXPECT_THAT(places, SizeIs(10));
  EXPECT_THAT(signs, SizeIs(2));
}

// Least and greatest are -4 and 8.
TEST(DistributionsTest, IntegersHaveTheirOwn) {
  using enum Distribution;
  const auto of = [](Distribution distribution) {
    std::vector<std::int64_t> values = {5, -4, 8, 1};
    Reshape(distribution, 1, 4, values);
    return values;
  };
  EXPECT_THAT(of(kZeros), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(of(kTies), ElementsAre(2, -1, 2, 1));     // Rests of three.
  EXPECT_THAT(of(kSorted), ElementsAre(-4, -1, 2, 5));  // Steps of 12 / 4.
  EXPECT_THAT(of(kNegative), ElementsAre(-4, -4, -4, -4));
  EXPECT_THAT(of(kDominant), testing::UnorderedElementsAre(-4, -4, -4, 8));
  for (const Distribution other :
       {kPlain, kTiny, kLarge, kOffset, kCancelling, kWildTail, kScales,
        kExtreme, kInfinity, kNan}) {
    EXPECT_THAT(of(other), ElementsAre(5, -4, 8, 1)) << Name(other);
  }
}

TEST(DistributionsTest, ThoseWithoutATagComeInTheirOrder) {
  using enum Distribution;
  EXPECT_THAT(Of({"without:zeros", "without:scales", "with:infinity"}).value(),
              ElementsAre(kTies, kSorted, kNegative, kTiny, kLarge, kOffset,
                          kCancelling, kDominant, kWildTail, kInfinity));
  EXPECT_EQ(Of({"with:odd"}).error().what,
            "op: tag with:odd: no such distribution of inputs");
  // What is said last counts.
  EXPECT_THAT(Of({"without:tiny", "with:tiny"}).value(), Contains(kTiny));
}

// SplitMix64 of 1234567 gives 6457827717110365317, 3203168211198807973,
// 9817491932198370423, 4593380528125082431 and 16408922859458223821, as its
// authors' program prints.  Of these 25 leaves 17, 23, 23, 6 and 21.
TEST(DistributionsTest, PlacesAreThoseOfSplitMix64) {
  EXPECT_THAT(Reshaped(Distribution::kScales, DType::kFloat32,
                       std::vector<float>(5, 1.0f), 1234567),
              ElementsAre(0x1p5f, 0x1p11f, 0x1p11f, 0x1p-6f, 0x1p9f));
  const auto dominant = Reshaped(Distribution::kDominant, DType::kFloat32,
                                 std::vector<float>(1000), 1234567);
  EXPECT_EQ(std::ranges::max_element(dominant) - dominant.begin(), 317);
  std::vector<std::int64_t> integers(1000, 1);
  integers[0] = 2;
  Reshape(Distribution::kDominant, 1234567, 10, integers);
  EXPECT_EQ(std::ranges::max_element(integers) - integers.begin(), 317);
}

// Two of 1000 to 1999 elements: 317 of the first number, whose top bit is 0,
// and 973 of the second.  A fifth number has its top bit set.
TEST(DistributionsTest, OneOfAThousandIsInfiniteWithASignOfItsOwn) {
  const auto values = Reshaped(Distribution::kInfinity, DType::kFloat32,
                               std::vector<float>(1000), 1234567);
  EXPECT_EQ(Count(values, [](float x) { return std::isinf(x); }), 2u);
  EXPECT_TRUE(std::isinf(values[317]) && values[317] > 0.0f);
  EXPECT_TRUE(std::isinf(values[973]));
  EXPECT_EQ(Count(Reshaped(Distribution::kNan, DType::kFloat32,
                           std::vector<float>(999), 7),
                  [](float x) { return std::isnan(x); }),
            1u);
}

}  // namespace
}  // namespace coppice::eval
