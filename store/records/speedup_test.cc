#include "store/records/speedup.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace coppice {
namespace {

Speedup Of(double ratio, double factor) {
  return {ratio, Interval{ratio / factor, ratio * factor}};
}

TEST(SpeedupTest, IsFasterOrSlowerOnlyIfTheIntervalLeavesTheThresholdOut) {
  EXPECT_EQ((Speedup{1.1, Interval{1.02, 1.2}}.Sign()), 1);
  EXPECT_EQ((Speedup{1.1, Interval{1.004, 1.2}}.Sign()),
            0);  // Half a per cent.
  EXPECT_EQ((Speedup{0.9, Interval{0.8, 0.99}}.Sign()), -1);
  EXPECT_EQ((Speedup{1.5, std::nullopt}.Sign()), 0);
  EXPECT_EQ((Speedup{1.5, Interval{1.4, 1.6}}.Sign(2.0)), -1);
}

TEST(PoolTest, OneSessionIsWhatItSays) {
  const std::array one = {Of(2.0, 1.1)};
  EXPECT_EQ(Pool(one).ratio, 2.0);
  EXPECT_EQ(Pool(one).interval->high, 2.0 * 1.1);
}

// Two of equal width h = ln 1.1 that agree: h / sqrt 2.
TEST(PoolTest, SessionsThatAgreeNarrowTheInterval) {
  const std::array two = {Of(2.0, 1.1), Of(2.0, 1.1)};
  const Speedup pooled = Pool(two);
  EXPECT_DOUBLE_EQ(pooled.ratio, 2.0);
  EXPECT_NEAR(pooled.interval->high,
              2.0 * std::exp(std::log(1.1) / std::sqrt(2.0)), 1e-12);
}

// Weights 1 / 0.1^2 = 100 and 1 / 0.2^2 = 25: x = (100 * 0 + 25 * 0.05) / 125.
TEST(PoolTest, TheNarrowerIntervalWeighsMore) {
  const std::array two = {Of(1.0, std::exp(0.1)),
                          Of(std::exp(0.05), std::exp(0.2))};
  EXPECT_NEAR(std::log(Pool(two).ratio), 0.01, 1e-12);
}

// x_i = +-0.3 with h = 0.1: x = 0, chi^2 = 100 * 0.09 * 2 = 18, S = 1.96 *
// sqrt(18 / 1) = 8.3156; h = S / sqrt(200) = 0.588.
TEST(PoolTest, SessionsThatDisagreeWidenTheInterval) {
  const std::array two = {Of(std::exp(0.3), std::exp(0.1)),
                          Of(std::exp(-0.3), std::exp(0.1))};
  const Speedup pooled = Pool(two);
  EXPECT_NEAR(pooled.ratio, 1.0, 1e-12);
  EXPECT_NEAR(std::log(pooled.interval->high), 0.588, 1e-3);
}

TEST(PoolTest, ASessionWithoutAnIntervalCountsOnlyIfNoneHasOne) {
  const std::array mixed = {Of(2.0, 1.1), Speedup{8.0, std::nullopt}};
  EXPECT_DOUBLE_EQ(Pool(mixed).ratio, 2.0);
  const std::array none = {Speedup{2.0, std::nullopt},
                           Speedup{8.0, std::nullopt}};
  EXPECT_DOUBLE_EQ(Pool(none).ratio, 4.0);
  EXPECT_FALSE(Pool(none).interval.has_value());
}

// Whichever session came first, and whatever the root is measured in.
TEST(PoolTest, NeitherOrderNorUnitMatters) {
  const std::array three = {Of(1.2, 1.05), Of(1.5, 1.3), Of(1.1, 1.02)};
  const std::array turned = {three[2], three[0], three[1]};
  const Speedup pooled = Pool(three);
  EXPECT_DOUBLE_EQ(Pool(turned).ratio, pooled.ratio);
  EXPECT_DOUBLE_EQ(Pool(turned).interval->low, pooled.interval->low);
  std::array larger = three;
  for (Speedup& each : larger)
    each = Of(each.ratio * 40.0, each.interval->high / each.ratio);
  EXPECT_NEAR(Pool(larger).ratio, 40.0 * pooled.ratio, 1e-9);
  EXPECT_NEAR(Pool(larger).interval->high, 40.0 * pooled.interval->high, 1e-9);
}

// A session of no width, as the root's own, decides alone, and divides by no 0.
TEST(PoolTest, ASessionWithoutNoiseDecides) {
  const std::array two = {Of(1.0, 1.0), Of(1.2, 1.1)};
  const Speedup pooled = Pool(two);
  EXPECT_NEAR(pooled.ratio, 1.0, 1e-9);
  EXPECT_TRUE(std::isfinite(pooled.interval->high));
}

TEST(SpeedupTest, AnIntervalIsAsWideAsItsHalfWidthTwice) {
  for (const double half : {0.0, 0.01, 0.5, 3.0}) {
    const Speedup around = Around(2.0, half);
    EXPECT_NEAR(HalfWidth(*around.interval), half, 1e-12);
    EXPECT_NEAR(around.interval->low * around.interval->high, 4.0, 1e-12);
  }
}

// 1.005 is half a per cent, which is not claimed; 1 / 1.005 is 0.99502.
TEST(SpeedupTest, HalfAPerCentIsClaimedOnNeitherSide) {
  const auto sign = [](double low, double high, double threshold) {
    return Speedup{1.0, Interval{low, high}}.Sign(threshold);
  };
  EXPECT_EQ(sign(1.0051, 1.1, 1.0), 1);
  EXPECT_EQ(sign(1.0049, 1.1, 1.0), 0);
  EXPECT_EQ(sign(0.9, 0.9950, 1.0), -1);
  EXPECT_EQ(sign(0.9, 0.9951, 1.0), 0);
  EXPECT_EQ(sign(2.011, 3.0, 2.0), 1);
  EXPECT_EQ(sign(2.009, 3.0, 2.0), 0);
  EXPECT_EQ(sign(1.5, 1.99, 2.0), -1);
  EXPECT_EQ(sign(0.1, 3.0, 0.0), 1);  // Fast at 0 is whatever passes.
}

TEST(OverTest, WithoutAnIntervalOfBothThereIsNone) {
  EXPECT_DOUBLE_EQ(Over(Of(6.0, 1.1), {2.0, std::nullopt}).ratio, 3.0);
  EXPECT_FALSE(Over(Of(6.0, 1.1), {2.0, std::nullopt}).interval);
  EXPECT_FALSE(Over({2.0, std::nullopt}, Of(6.0, 1.1)).interval);
}

// Half widths of 0.3 and 0.4 make 0.5.
TEST(OverTest, ErrorsAddInSquares) {
  const Speedup over = Over(Of(6.0, std::exp(0.3)), Of(2.0, std::exp(0.4)));
  EXPECT_DOUBLE_EQ(over.ratio, 3.0);
  EXPECT_NEAR(over.interval->high, 3.0 * std::exp(0.5), 1e-12);
}

TEST(DescribeTest, SaysHowSureItIs) {
  EXPECT_EQ(Describe({1.31, Interval{1.28, 1.34}}),
            "1.31x (95 % interval 1.28-1.34)");
  EXPECT_EQ(Describe({1.31, Interval{0.98, 1.75}}),
            "cannot tell: 1.31x (95 % interval 0.98-1.75)");
  EXPECT_EQ(Describe({1.31, std::nullopt}),
            "cannot tell: 1.3x (too few rounds)");
}

}  // namespace
}  // namespace coppice
