#include "store/records/nearest_name.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "store/records/random.h"

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

// By its definition, from the ends: letters left out, added, replaced, or two
// neighbours swapped, each once.
std::size_t StepsBetween(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return a.size() + b.size();
  const std::string_view a1 = a.substr(1);
  const std::string_view b1 = b.substr(1);
  std::size_t least = std::min(StepsBetween(a1, b), StepsBetween(a, b1)) + 1;
  least = std::min(least, StepsBetween(a1, b1) + (a[0] == b[0] ? 0 : 1));
  if (a.size() > 1 && b.size() > 1 && a[0] == b[1] && a[1] == b[0]) {
    least = std::min(least, StepsBetween(a.substr(2), b.substr(2)) + 1);
  }
  return least;
}

TEST(NearestNameTest, IsTheFirstOfTheNearestWithinAThirdOfTheWord) {
  RandomStream stream(2, Purpose::kSimulation, 0);
  const auto word = [&] {
    std::string text;
    for (std::uint64_t size = stream.Below(7); size > 0; --size) {
      text += static_cast<char>('a' + stream.Below(3));
    }
    return text;
  };
  for (int i = 0; i < 500; ++i) {
    const std::string typed = word();
    const std::vector<std::string> names = {word(), word(), word(), word()};
    std::optional<std::string> nearest;
    std::size_t least = (typed.size() + 2) / 3 + 1;  // More is no slip.
    for (const std::string& name : names) {
      const std::size_t steps = StepsBetween(typed, name);
      if (steps >= least) continue;
      least = steps;
      nearest = name;
    }
    ASSERT_EQ(NearestName(typed, names), nearest) << typed;
  }
}

TEST(NearestNameTest, AllAreNamedWithTheNearest) {
  EXPECT_EQ(NearestAndAll("shwo", {"status", "show"}),
            "; did you mean show? Choose one of: status show");
  EXPECT_EQ(NearestAndAll("plot", {"status", "show"}),
            ". Choose one of: status show");
}

}  // namespace
}  // namespace coppice
