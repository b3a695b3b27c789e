#include "store/records/nearest.h"

#include <gtest/gtest.h>

namespace coppice {
namespace {

std::string Guess(std::string_view word) {
  return Nearest(word, {"status", "show", "sql", "resume"}).value_or("-");
}

TEST(NearestTest, ForgivesOneSlipOfEachKind) {
  EXPECT_EQ(Guess("statu"), "status");    // Left out.
  EXPECT_EQ(Guess("statuss"), "status");  // Doubled.
  EXPECT_EQ(Guess("ststus"), "status");   // Replaced.
  EXPECT_EQ(Guess("sttaus"), "status");   // Swapped: one step, not two.
  EXPECT_EQ(Guess("qsl"), "sql");
}

TEST(NearestTest, FindsTheWordItself) { EXPECT_EQ(Guess("show"), "show"); }

// A third of four letters, rounded up, is 2; "plot" is 3 from "show".
TEST(NearestTest, DoesNotGuessWildly) {
  EXPECT_EQ(Guess("plot"), "-");
  EXPECT_EQ(Guess(""), "-");
}

// A word of a megabyte is nobody's slip, and is not compared letter by letter.
TEST(NearestTest, DoesNotCompareWithAWholeFile) {
  EXPECT_EQ(Guess(std::string(1 << 20, 's')), "-");
}

TEST(NearestTest, OfEqualsTheFirstWins) {
  EXPECT_EQ(Nearest("abx", {"abc", "abd"}), "abc");
}

TEST(NearestTest, KnowsNothingWithoutCandidates) {
  EXPECT_EQ(Nearest("word", {}), std::nullopt);
}

}  // namespace
}  // namespace coppice
