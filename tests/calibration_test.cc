// Sampling, Reflexion, STARK and its ablations on the calibrated landscapes
// against STARK's tables 1 to 3, in the bands that calibration.h states.
#include "tests/calibration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace coppice {
namespace {

using ::testing::ElementsAre;
using ::testing::IsSubsetOf;

constexpr int kCampaigns = 1000;  // Of each row.

// "2 reflexion fast_1": numbers of the tables that some family does not
// reproduce together with the others; docs/landscapes.md says why.
const std::vector<std::string> kMisfits = {
    "2 sampling compiled", "2 reflexion compiled", "2 reflexion fast_1",
    "3 reflexion correct", "3 multi_agent speed",
};

// Added up by hand from the paper's tables 1 to 3: a slip of one digit shows.
TEST(PaperRowsTest, ThePapersColumnsHaveTheSumsOfItsTables) {
  double compiled = 0.0;
  double correct = 0.0;
  double success = 0.0;
  double fast_1 = 0.0;
  double speed = 0.0;
  int levels = 0;
  std::int64_t shown = 0;
  for (const PaperRow& row : PaperRows()) {
    compiled += row.compiled.value_or(0.0);
    correct += row.correct.value_or(0.0);
    success += row.success.value_or(0.0);
    fast_1 += row.fast_1;
    speed += row.speed;
    levels += row.level;
    shown += row.window;
  }
  EXPECT_NEAR(compiled, 7.824, 1e-9);
  EXPECT_NEAR(correct, 3.795, 1e-9);
  EXPECT_NEAR(success, 8.0, 1e-9);
  EXPECT_NEAR(fast_1, 6.268, 1e-9);
  EXPECT_NEAR(speed, 14.95, 1e-9);
  EXPECT_EQ(levels, 3 * 1 + 3 * 2 + 5 * 3);
  EXPECT_EQ(shown, 3 * search::kPaperWindow);  // STARK's alone.
  EXPECT_EQ(PaperTasks(1) + PaperTasks(2) + PaperTasks(3), 30);
  EXPECT_EQ(PaperTasks(1), 14);
}

class CalibrationTest : public testing::TestWithParam<std::string_view> {};

TEST_P(CalibrationTest, NumbersAreInTheBandsOfThePapersSample) {
  const search::Family family = *search::ParseFamily(GetParam());
  std::vector<std::string> outside;
  for (const PaperRow& row : PaperRows()) {
    const Tally tally = TallyOf(family, row, kCampaigns);
    for (const Comparison& number : Compare(row, tally)) {
      if (number.is_in_band) continue;
      outside.push_back(std::to_string(row.level) + " " +
                        std::string(row.agent) + " " + number.name);
    }
  }
  EXPECT_THAT(outside, IsSubsetOf(kMisfits));
}

INSTANTIATE_TEST_SUITE_P(Families, CalibrationTest,
                         testing::ValuesIn(search::kFamilyNames),
                         [](const auto& family) {
                           return std::string(family.param);
                         });

// 13 of 14 are 92.9 %, 5 of 8 are 62.5 %.
TEST(PrintedSharesTest, FourOfProblemsAreNoneOfThePapersSample) {
  std::vector<std::string> found;
  for (const PrintedShare& share : ImpossibleShares()) {
    if (share.is_of_attempts) continue;
    EXPECT_EQ(share.percent, share.level == 1 ? 92.6 : 67.5);
    found.push_back(std::to_string(share.level) + " " + share.agent + " " +
                    share.name);
  }
  EXPECT_THAT(found, ElementsAre("1 reflexion success", "3 reflexion success",
                                 "3 search fast_1 over eager",
                                 "3 multi_agent fast_1 over eager"));
}

// 381 and 382 of 420 attempts are 90.7 % and 91.0 %: sampling's 90.8 % is of
// another number.
TEST(PrintedSharesTest, TwelveOfAttemptsAreNoneOfThirtyAProblem) {
  const std::vector<PrintedShare> all = ImpossibleShares();
  EXPECT_EQ(std::ranges::count(all, true, &PrintedShare::is_of_attempts), 12);
}

// 10 of 14 problems are fast, by chance or not: from 0.72 that is what one
// expects; from 0.36 it happens in P(X >= 10) = 0.0077, from 0.30 in 0.0017.
TEST(CalibrationBandTest, SharesOfProblemsAreBinomial) {
  const PaperRow& stark = PaperRows()[2];
  ASSERT_EQ(stark.fast_1, .714);
  const auto is_in_band = [&](double fast_1) {
    return Compare(stark, {{}, {}, 1.0, fast_1, {}})[3].is_in_band;
  };
  EXPECT_TRUE(is_in_band(0.72));
  EXPECT_TRUE(is_in_band(0.36));
  EXPECT_FALSE(is_in_band(0.30));
  EXPECT_FALSE(is_in_band(0.97));
}

// 14 problems that differ by 0.1: a standard error of 0.1 / sqrt(14) = 0.0267,
// so 0.845 is in the band from 0.777 to 0.913.
TEST(CalibrationBandTest, MeansHaveTheSpreadOfProblems) {
  const PaperRow& stark = PaperRows()[2];
  ASSERT_EQ(stark.compiled, .845);
  const auto is_in_band = [&](double compiled) {
    return Compare(stark, {{compiled, 0.1}, {}, 1.0, 0.7, {}})[0].is_in_band;
  };
  EXPECT_TRUE(is_in_band(0.78));
  EXPECT_TRUE(is_in_band(0.91));
  EXPECT_FALSE(is_in_band(0.77));
  EXPECT_FALSE(is_in_band(0.92));
}

}  // namespace
}  // namespace coppice
