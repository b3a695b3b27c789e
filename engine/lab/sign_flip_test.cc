#include "engine/lab/sign_flip.h"

#include <gtest/gtest.h>

#include <vector>

namespace coppice::lab {
namespace {

double PValue(const std::vector<double>& differences) {
  RandomStream stream(1, Purpose::kStatistics, 0);
  return SignFlipTest(differences, stream);
}

// Sums of +-1 +-2 +-3: 6, 4, 2, 0, 0, -2, -4, -6.
TEST(SignFlipTest, CountsTheChoicesAsFarFromZero) {
  EXPECT_DOUBLE_EQ(PValue({1, 2, 3}), 2.0 / 8.0);   // 6, -6.
  EXPECT_DOUBLE_EQ(PValue({-1, 2, 3}), 4.0 / 8.0);  // And 4, -4.
  EXPECT_DOUBLE_EQ(PValue({1, 2, -3}), 1.0);        // 0: all.
}

// Five of one sign: 2 of 32.  Five pairs can never show more than this.
TEST(SignFlipTest, AllOfOneSignAreTwoOfAllChoices) {
  EXPECT_DOUBLE_EQ(PValue({0.3, 0.1, 0.2, 0.2, 0.4}), 2.0 / 32.0);
  EXPECT_DOUBLE_EQ(PValue({-0.3, -0.1, -0.2, -0.2, -0.4}), 2.0 / 32.0);
}

TEST(SignFlipTest, OneDifferenceShowsNothing) { EXPECT_EQ(PValue({5}), 1.0); }

TEST(SignFlipTest, ZerosShowNothing) {
  EXPECT_EQ(PValue({}), 1.0);
  EXPECT_EQ(PValue({0, 0, 0}), 1.0);
  EXPECT_EQ(PValue(std::vector<double>(30, 0.0)), 1.0);
}

// 0.1 + 0.2 is not 0.3 in binary: equal sums count as equal all the same.
TEST(SignFlipTest, RoundingDoesNotTellEqualSumsApart) {
  EXPECT_DOUBLE_EQ(PValue({0.1, 0.2, -0.3}), 1.0);
}

// 30 of one sign: 2 of 2^30, which 10,000 draws do not meet; only the observed
// choice itself counts.
TEST(SignFlipTest, ManyOfOneSignHaveTheLeastPOfDrawnChoices) {
  EXPECT_DOUBLE_EQ(PValue(std::vector<double>(30, 1.0)), 1.0 / 10'001);
}

// 24 ones with 8 signs turned: the sum is 8 = 24 - 2k or less for k >= 8, so p
// = 2 P(Binomial(24, 1/2) <= 8) = 0.1516; drawn, within 4 sqrt(p q / 10,000).
TEST(SignFlipTest, DrawnChoicesComeNearAllOfThem) {
  std::vector<double> differences(24, 1.0);
  for (std::size_t i = 0; i < 8; ++i) differences[i] = -1.0;
  EXPECT_NEAR(PValue(differences), 0.1516, 0.0144);
}

// Neither which of a pair is called the first, nor the order of pairs, nor the
// unit that is measured in.
TEST(SignFlipTest, OnlyHowFarPairsAreApartCounts) {
  const std::vector<double> differences = {0.3, -0.1, 0.25, 0.7, -0.2, 0.05};
  const double p = PValue(differences);
  std::vector<double> turned(differences.rbegin(), differences.rend());
  EXPECT_DOUBLE_EQ(PValue(turned), p);
  for (double& each : turned) each *= -1024.0;
  EXPECT_DOUBLE_EQ(PValue(turned), p);
  turned.push_back(0.0);  // A tie says nothing of who is better.
  EXPECT_DOUBLE_EQ(PValue(turned), p);
}

// 20 are counted exactly, and of 21 some are drawn.
TEST(SignFlipTest, TheLastThatIsExactAndTheFirstThatIsDrawnAgree) {
  // 15 of 20 ones: p = 2 P(Binomial(20, 1/2) <= 5) = 0.041389...
  std::vector<double> differences(20, 1.0);
  for (std::size_t i = 0; i < 5; ++i) differences[i] = -1.0;
  EXPECT_NEAR(PValue(differences), 0.0413894, 1e-7);
  differences.push_back(0.0);
  EXPECT_NEAR(PValue(differences), 0.0413894, 0.008);  // 4 sqrt(p q / 10,000).
}

// Its last word of random bits is filled up with zeros.
TEST(SignFlipTest, AnyNumberOfDrawnDifferencesIsTakenWhole) {
  for (const std::size_t count : {63U, 64U, 65U, 127U, 128U, 129U}) {
    std::vector<double> differences(count, 0.0);
    differences.back() = 1.0;  // Either sign of it is as far.
    EXPECT_EQ(PValue(differences), 1.0) << count;
  }
}

}  // namespace
}  // namespace coppice::lab
