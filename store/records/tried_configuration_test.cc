#include "store/records/tried_configuration.h"

#include <gtest/gtest.h>

#include <vector>

namespace coppice {
namespace {

TriedConfiguration Tried(const char* values, double ratio,
                         bool is_chosen = false) {
  if (ratio == 0.0) return {values, Verdict::kCrashed, {}, 1.0, is_chosen};
  return {values, Verdict::kPassed, Speedup{ratio, {}}, 1.0, is_chosen};
}

// 2.0 / 1.03 is 1.942: 1.95 is near, 1.94 is not, and who crashed is not.
TEST(TriedConfigurationTest, SaysWhoWonAndHowFlatTheOptimumIs) {
  const std::vector<TriedConfiguration> tried = {
      Tried("TILE=32", 1.94), Tried("TILE=64", 2.0, true),
      Tried("TILE=128", 1.95), Tried("TILE=256", 0.0)};
  EXPECT_EQ(CountNearBest(tried), 2u);
  EXPECT_EQ(TuningText(tried),
            "TILE=64 won of 4 configurations tried; 2 lie within 3 % of the "
            "fastest");
}

// None was told apart, though one measured as faster.
TEST(TriedConfigurationTest, TheAuthorsOwnMayWin) {
  const std::vector<TriedConfiguration> tried = {Tried("TILE=32", 1.0, true),
                                                 Tried("TILE=64", 1.5)};
  EXPECT_EQ(TuningText(tried),
            "TILE=32, as written, won of 2 configurations tried; 1 lies "
            "within 3 % of the fastest");
  EXPECT_EQ(TuningText({}), "");
}

TEST(TriedConfigurationTest, WithoutOneThatPassedNoneIsNear) {
  const std::vector<TriedConfiguration> failed = {Tried("A=1", 0.0),
                                                  Tried("A=2", 0.0)};
  EXPECT_EQ(CountNearBest(failed), 0u);
  EXPECT_EQ(CountNearBest({}), 0u);
  EXPECT_EQ(TuningText(failed), "");  // None is chosen.
  const std::vector<TriedConfiguration> one = {Tried("A=1", 1.0, true)};
  EXPECT_EQ(TuningText(one),
            "A=1, as written, won of 1 configuration tried; 1 lies within 3 % "
            "of the fastest");
}

}  // namespace
}  // namespace coppice
