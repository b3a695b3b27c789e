#include "engine/lab/profile.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace coppice::lab
