#include "engine/lab/profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace coppice::lab {
namespace {

// Speedups (4, 2), (3, 3), (1, 8): ratios to the winner (1, 2), (1, 1), (8, 1).
TEST(ProfileTest, SharesWithinAFactorOfTheWinner) {
  const std::vector<Race> races = {{std::log(4.0), std::log(2.0)},
                                   {std::log(3.0), std::log(3.0)},
                                   {std::log(1.0), std::log(8.0)}};
  const auto profiles =
      PerformanceProfiles(races, std::vector<double>{1.0, 2.0, 7.9, 8.0});
  ASSERT_EQ(profiles.size(), 2U);
  EXPECT_EQ(profiles[0], (std::vector<double>{2.0 / 3, 2.0 / 3, 2.0 / 3, 1.0}));
  EXPECT_EQ(profiles[1], (std::vector<double>{2.0 / 3, 1.0, 1.0, 1.0}));
}

TEST(ProfileTest, OneRunnerAlwaysWins) {
  const std::vector<Race> races = {{0.3}};
  EXPECT_EQ(PerformanceProfiles(races, std::vector<double>{1.0}),
            (std::vector<std::vector<double>>{{1.0}}));
}

TEST(ProfileTest, NoRacesHaveNoProfiles) {
  EXPECT_TRUE(PerformanceProfiles({}, std::vector<double>{1.0}).empty());
}

// A profile only rises, and at a large factor all are within it.
TEST(ProfileTest, AProfileRisesFromWinsToAll) {
  const std::vector<Race> races = {
      {0.0, 1.0, 2.0}, {3.0, 3.0, 0.0}, {-1.0, 0.0, 0.0}};
  const auto profiles =
      PerformanceProfiles(races, std::vector<double>{1.0, 2.0, 4.0, 8.0, 1e9});
  for (const auto& profile : profiles) {
    EXPECT_TRUE(std::ranges::is_sorted(profile));
    EXPECT_EQ(profile.back(), 1.0);
  }
  EXPECT_DOUBLE_EQ(profiles[0].front(), 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(profiles[1].front(), 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(profiles[2].front(), 2.0 / 3.0);
}

// Both have the same kernel; its time came out of different sums.
TEST(ProfileTest, RoundingTakesNobodysWin) {
  const std::vector<Race> races = {{0.1 + 0.2, 0.3}};
  const auto profiles = PerformanceProfiles(races, std::vector<double>{1.0});
  EXPECT_EQ(profiles[0][0], 1.0);
  EXPECT_EQ(profiles[1][0], 1.0);
}

}  // namespace
}  // namespace coppice::lab
