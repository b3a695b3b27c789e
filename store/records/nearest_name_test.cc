#include "store/records/nearest_name.h"

#include <gtest/gtest.h>

namespace coppice {
namespace {

std::string Guess(std::string_view word) {
  return NearestName(word, {"status", "show", "sql", "resume"}).value_or("-");
}

TEST(NearestNameTest, ForgivesOneSlipOfEachKind) {
  EXPECT_EQ(Guess("statu"), "status");    // Left out.
  EXPECT_EQ(Guess("statuss"), "status");  // Doubled.
  EXPECT_EQ(Guess("ststus"), "status");   // Replaced.
  EXPECT_EQ(Guess("sttaus"), "status");   // Swapped: one step, not two.
  EXPECT_EQ(Guess("qsl"), "sql");
}

TEST(NearestNameTest, FindsTheWordItself) { EXPECT_EQ(Guess("show"), "show"); }

// A third of four letters, rounded up, is 2; "plot" is 3 from "show".
TEST(NearestNameTest, DoesNotGuessWildly) {
  EXPECT_EQ(Guess("plot"), "-");
  EXPECT_EQ(Guess(""), "-");
}

// A word of a megabyte is nobody's slip, and is not compared letter by letter.
TEST(NearestNameTest, DoesNotCompareWithAWholeFile) {
  EXPECT_EQ(Guess(std::string(1 << 20, 's')), "-");
}

TEST(NearestNameTest, OfEqualsTheFirstWins) {
  EXPECT_EQ(NearestName("abx", {"abc", "abd"}), "abc");
}

TEST(NearestNameTest, KnowsNothingWithoutCandidates) {
  EXPECT_EQ(NearestName("word", {}), std::nullopt);
}

}  // namespace
}  // namespace coppice
