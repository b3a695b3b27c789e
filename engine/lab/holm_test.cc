#include "engine/lab/holm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace coppice::lab {
namespace {

// In order: 4 * 0.005 = 0.02; 3 * 0.01 = 0.03; 2 * 0.03 = 0.06; 1 * 0.04 is
// less than the one before it, so 0.06.
TEST(HolmTest, AdjustsAsDerivedByHand) {
  const std::vector<double> adjusted = HolmAdjusted({0.01, 0.04, 0.03, 0.005});
  ASSERT_EQ(adjusted.size(), 4U);
  EXPECT_DOUBLE_EQ(adjusted[0], 0.03);
  EXPECT_DOUBLE_EQ(adjusted[1], 0.06);
  EXPECT_DOUBLE_EQ(adjusted[2], 0.06);
  EXPECT_DOUBLE_EQ(adjusted[3], 0.02);
}

TEST(HolmTest, OneQuestionStaysAsItIs) {
  EXPECT_EQ(HolmAdjusted({0.2}), std::vector<double>{0.2});
}

TEST(HolmTest, NoneIsAboveOne) {
  EXPECT_EQ(HolmAdjusted({0.6, 0.6}), (std::vector<double>{1.0, 1.0}));
  EXPECT_TRUE(HolmAdjusted({}).empty());
}

// In any order of questions each has the same answer, and is never surer than
// alone.
TEST(HolmTest, NothingHangsOnTheOrderOfQuestions) {
  std::vector<double> asked = {0.01, 0.04, 0.03, 0.005, 0.03};
  std::ranges::sort(asked);
  const std::vector<double> answers = HolmAdjusted(asked);
  EXPECT_TRUE(std::ranges::is_sorted(answers));
  do {
    const std::vector<double> adjusted = HolmAdjusted(asked);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const auto place = std::ranges::find(asked, asked[i]) - asked.begin();
      EXPECT_DOUBLE_EQ(adjusted[i], adjusted[static_cast<std::size_t>(place)]);
      EXPECT_GE(adjusted[i], asked[i]);
    }
  } while (std::ranges::next_permutation(asked).found);
}

// 5 * 0.005 = 0.025; 4 * 0.01 = 0.04; 3 * 0.03 = 0.09 for both of them.
TEST(HolmTest, EqualQuestionsHaveEqualAnswers) {
  const std::vector<double> adjusted =
      HolmAdjusted({0.03, 0.01, 0.03, 0.005, 0.03});
  EXPECT_DOUBLE_EQ(adjusted[3], 0.025);
  EXPECT_DOUBLE_EQ(adjusted[1], 0.04);
  for (const std::size_t i : {0U, 2U, 4U}) {
    EXPECT_DOUBLE_EQ(adjusted[i], 0.09);
  }
}

}  // namespace
}  // namespace coppice::lab
