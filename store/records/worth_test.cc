#include "store/records/worth.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "store/records/tier.h"

namespace coppice {
namespace {

Evidence Passed(double ratio, bool further = false) {
  return {Verdict::kPassed, Speedup{ratio, Interval{ratio / 1.1, ratio * 1.1}},
          further};
}

Evidence Other(Verdict verdict, bool further = false) {
  return {verdict, std::nullopt, further};
}

TEST(WorthTest, OneEvaluationIsWhatItSays) {
  const Worth worth = WorthOf(std::array{Passed(2.0)});
  EXPECT_EQ(worth.verdict, Verdict::kPassed);
  EXPECT_EQ(worth.speedup->ratio, 2.0);
  EXPECT_EQ(worth.decided_by, 0u);
}

TEST(WorthTest, TheProofOfAWouldBeBestDecides) {
  const Worth worth =
      WorthOf(std::array{Passed(2.0), Other(Verdict::kWrongOutput)});
  EXPECT_EQ(worth.verdict, Verdict::kWrongOutput);
  EXPECT_EQ(worth.decided_by, 1u);
  EXPECT_FALSE(worth.speedup.has_value());
  EXPECT_EQ(
      WorthOf(std::array{Passed(2.0), Other(Verdict::kInconclusive)}).verdict,
      Verdict::kInconclusive);
}

// Equal widths: the geometric mean of 2 and 2.2.
TEST(WorthTest, AllThatPassedIsPooled) {
  const Worth worth = WorthOf(std::array{Passed(2.0), Passed(2.2, true)});
  EXPECT_NEAR(worth.speedup->ratio, 2.0976, 1e-4);
}

TEST(WorthTest, AFurtherFailureRefutesForGood) {
  const Worth worth =
      WorthOf(std::array{Passed(2.0), Other(Verdict::kCrashed, true),
                         Passed(2.0, true), Other(Verdict::kTimedOut, true)});
  EXPECT_EQ(worth.verdict, Verdict::kCrashed);
  EXPECT_EQ(worth.decided_by, 1u);
  EXPECT_TRUE(worth.is_refuted);
}

// Neither one that was never decided, nor one that its proof found wrong before
// it was committed.
TEST(WorthTest, WhatNeverPassedIsNotRefuted) {
  EXPECT_FALSE(WorthOf(std::array{Other(Verdict::kInconclusive),
                                  Other(Verdict::kWrongOutput, true)})
                   .is_refuted);
  EXPECT_FALSE(WorthOf(std::array{Passed(2.0), Other(Verdict::kWrongOutput)})
                   .is_refuted);
}

TEST(WorthTest, WhatWasSettledAndThenFailsIsRefuted) {
  const std::array findings = {Other(Verdict::kInconclusive), Passed(2.0, true),
                               Other(Verdict::kCrashed, true)};
  EXPECT_FALSE(WorthOf(std::span(findings).first(2)).is_refuted);
  EXPECT_TRUE(WorthOf(findings).is_refuted);
}

TEST(WorthTest, APassOfTheFullTierConfirms) {
  Evidence proof = Passed(2.0, true);
  proof.tier = Tier::kFull;
  EXPECT_FALSE(WorthOf(std::array{Passed(2.0)}).is_confirmed);
  EXPECT_TRUE(WorthOf(std::array{Passed(2.0), proof}).is_confirmed);
  EXPECT_TRUE(
      WorthOf(std::array{Passed(2.0), proof, Passed(2.0, true)}).is_confirmed);
  EXPECT_FALSE(
      WorthOf(std::array{Passed(2.0), proof, Other(Verdict::kCrashed, true)})
          .is_confirmed);
}

TEST(WorthTest, AFurtherEvaluationSettlesWhatWasInconclusive) {
  const Worth worth = WorthOf(std::array{Other(Verdict::kInconclusive),
                                         Other(Verdict::kInconclusive, true),
                                         Passed(3.0, true)});
  EXPECT_EQ(worth.verdict, Verdict::kPassed);
  EXPECT_EQ(worth.speedup->ratio, 3.0);
  EXPECT_EQ(worth.decided_by, 2u);
}

TEST(WorthTest, AFurtherInconclusiveOneChangesNothing) {
  const Worth worth =
      WorthOf(std::array{Passed(2.0), Other(Verdict::kInconclusive, true)});
  EXPECT_EQ(worth.verdict, Verdict::kPassed);
  EXPECT_EQ(worth.speedup->ratio, 2.0);
}

TEST(WorthTest, WhatFailedOnceNeverPasses) {
  EXPECT_EQ(WorthOf(std::array{Other(Verdict::kWrongOutput), Passed(2.0, true)})
                .verdict,
            Verdict::kWrongOutput);
}

// Every history of up to two findings with which a node was committed and three
// further ones, each of which passes in either tier, fails or cannot tell.
TEST(WorthTest, WhateverIsFoundAFailureStaysAndWhatCannotTellChangesNothing) {
  Evidence in_full = Passed(2.0);
  in_full.tier = Tier::kFull;
  const std::array kinds = {Passed(2.0), in_full, Other(Verdict::kCrashed),
                            Other(Verdict::kInconclusive)};
  for (std::size_t code = 0; code < 4 * 4 * 4 * 4 * 4 * 6; ++code) {
    const std::size_t shape = code % 6;
    const std::size_t first = 1 + shape % 2;
    std::vector<Evidence> findings;
    std::size_t rest = code / 6;
    for (std::size_t i = 0; i < first + 1 + shape / 2; ++i) {
      findings.push_back(kinds.at(rest % 4));
      findings.back().further = i >= first;
      rest /= 4;
    }
    const Worth worth = WorthOf(findings);
    ASSERT_EQ(worth.verdict, findings.at(worth.decided_by).verdict);
    const bool passes = worth.verdict == Verdict::kPassed;
    ASSERT_EQ(worth.speedup.has_value(), passes);
    ASSERT_TRUE(passes || !worth.is_confirmed);
    ASSERT_TRUE(!worth.is_refuted || worth.verdict == Verdict::kCrashed);
    findings.push_back(Other(Verdict::kInconclusive, true));
    const Worth same = WorthOf(findings);
    ASSERT_EQ(same.verdict, worth.verdict);
    ASSERT_EQ(same.decided_by, worth.decided_by);
    ASSERT_EQ(same.is_confirmed, worth.is_confirmed);
    findings.back() = Passed(2.0, true);
    const Worth again = WorthOf(findings);
    ASSERT_EQ(again.verdict == Verdict::kPassed,
              worth.verdict != Verdict::kCrashed);
    findings.back() = Other(Verdict::kTimedOut, true);
    const Worth failed = WorthOf(findings);
    ASSERT_NE(failed.verdict, Verdict::kPassed);
    ASSERT_EQ(failed.is_refuted, passes || worth.is_refuted);
  }
}

TEST(WorthTest, TheRootIsExactlyOnce) {
  const Worth root = WorthOfRoot();
  EXPECT_EQ(root.verdict, Verdict::kPassed);
  EXPECT_EQ(root.speedup->ratio, 1.0);
  EXPECT_EQ(root.speedup->interval, (Interval{1.0, 1.0}));
  EXPECT_FALSE(root.is_refuted);
}

}  // namespace
}  // namespace coppice
