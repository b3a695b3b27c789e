#include "search/landscapes/keyed_draws.h"

#include <gtest/gtest.h>

#include <set>

namespace coppice::search {
namespace {

constexpr int kKeys = 20000;

// The mean over many keys of what `draw` gives.
template <class DrawFrom>
double Mean(DrawFrom draw) {
  double sum = 0.0;
  for (std::uint64_t key = 0; key < kKeys; ++key) sum += draw(KeyedDraws(key));
  return sum / kKeys;
}

TEST(KeyedDrawsTest, OrderDoesNotMatter) {
  const KeyedDraws draws(42);
  const double step = draws.Uniform(DrawKey::kStep);
  draws.Normal(DrawKey::kNoise);
  draws.Below(7, DrawKey::kStep, 1);
  EXPECT_EQ(draws.Uniform(DrawKey::kStep), step);
  EXPECT_EQ(KeyedDraws(42).Uniform(DrawKey::kStep), step);
}

TEST(KeyedDrawsTest, KeysPurposesAndCountsAllTellApart) {
  const std::set<double> distinct = {KeyedDraws(1).Uniform(DrawKey::kStep),
                                     KeyedDraws(2).Uniform(DrawKey::kStep),
                                     KeyedDraws(1).Uniform(DrawKey::kBasin),
                                     KeyedDraws(1).Uniform(DrawKey::kStep, 1)};
  EXPECT_EQ(distinct.size(), 4u);
}

TEST(KeyedDrawsTest, ChildrenHaveKeysOfTheirOwn) {
  std::set<std::uint64_t> keys = {5};
  for (int earlier = 0; earlier < 1000; ++earlier) {
    const std::uint64_t child = KeyedDraws(5).ChildKey(earlier);
    keys.insert(child);
    keys.insert(KeyedDraws(child).ChildKey(0));
  }
  EXPECT_EQ(keys.size(), 2001u);
}

// Standard errors are 1/sqrt(20000) = 0.007 for both; five of them.
TEST(KeyedDrawsTest, MeansAreThoseOfTheDistributions) {
  EXPECT_NEAR(Mean([](KeyedDraws d) { return d.Normal(DrawKey::kNoise); }), 0.0,
              0.035);
  EXPECT_NEAR(Mean([](KeyedDraws d) { return d.Exponential(DrawKey::kStep); }),
              1.0, 0.035);
}

// Level 1's ceilings: mean 0.541 * 0.915 = 0.495, standard error
// sqrt(0.541) * 0.915 / sqrt(20000) = 0.0048.
TEST(KeyedDrawsTest, GammaHasTheMeanShapeTimesScale) {
  EXPECT_NEAR(Mean([](KeyedDraws d) {
                return d.Gamma(DrawKey::kCeiling, 0.541, 0.915);
              }),
              0.495, 0.024);
}

TEST(KeyedDrawsTest, BelowStaysBelowAndReachesAll) {
  std::set<int> seen;
  for (std::uint64_t key = 0; key < 100; ++key) {
    seen.insert(KeyedDraws(key).Below(4, DrawKey::kGene));
  }
  EXPECT_EQ(seen, (std::set<int>{0, 1, 2, 3}));
}

TEST(KeyedDrawsTest, TheSeedAndTheLandscapeChooseTheTask) {
  EXPECT_EQ(TaskKey("hill/1", 7), TaskKey("hill/1", 7));
  EXPECT_NE(TaskKey("hill/1", 7), TaskKey("hill/1", 8));
  EXPECT_NE(TaskKey("hill/1", 7), TaskKey("hill/2", 7));
}

// Stored campaigns go on by these numbers.
TEST(KeyedDrawsTest, DrawsStayWhatTheyWere) {
  EXPECT_EQ(KeyedDraws(1).ChildKey(0), 13066527301048093097u);
  EXPECT_EQ(TaskKey("hill/1", 1), 1939448989231882153u);
  EXPECT_DOUBLE_EQ(KeyedDraws(1).Uniform(DrawKey::kStep), 0.92155031719003055);
}

}  // namespace
}  // namespace coppice::search
