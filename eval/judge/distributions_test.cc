#include "eval/judge/distributions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

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

}  // namespace
}  // namespace coppice::eval
