#include "search/policies/shinka.h"

#include <gtest/gtest.h>

#include "search/text_tree.h"

namespace coppice::search {
namespace {

// Islands 0 and 1 have the hops n1 and n2, and the archive keeps but n2 and n3
// of island 1.  So on island 0 a correct program is drawn: the root or n1.
TEST(ShinkaTest, AnIslandThatHasNoneInTheArchiveDrawsAnyCorrectOne) {
  const std::string_view tree =
      "n0 10ms\n"
      "  n1 9ms\n"
      "  n2 2ms\n"
      "    n3 1ms\n";
  auto counts = PickOften(**MakePolicy("shinka:archive=2,cross=0"), tree, 4000);
  EXPECT_NEAR(counts["n0"], 1000, 140);  // Standard deviation 27.
  EXPECT_NEAR(counts["n1"], 1000, 140);
  EXPECT_EQ(counts["n0"] + counts["n1"] + counts["n2"] + counts["n3"], 4000);
}

// A full archive keeps the newer of equal scores.
TEST(ShinkaTest, OfEqualProgramsTheNewerStaysInTheArchive) {
  auto counts = PickOften(**MakePolicy("shinka:archive=1,islands=1"),
                          "n0 10ms\n  n1 5ms\n  n2 5ms\n", 100);
  EXPECT_EQ(counts["n2"], 100);
}

TEST(ShinkaTest, WithoutChanceToCrossNothingIsCrossed) {
  const auto crossed = [](std::string_view name) {
    const auto policy = std::move(*MakePolicy(name));
    const Tree tree =
        BuildTree(ParseTree("n0 10ms\n  n1 5ms\n  n2 6ms\n"), *policy);
    int mates = 0;
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
      RandomStream stream(seed, Purpose::kSelect, 0);
      const Selection selection = policy->Select(tree, stream);
      mates += selection.mate ? 1 : 0;
      EXPECT_EQ(selection.reason.starts_with("cross: "),
                selection.mate.has_value())
          << selection.reason;
    }
    return mates;
  };
  EXPECT_EQ(crossed("shinka:cross=0"), 0);
  EXPECT_EQ(crossed("shinka:cross=1"), 500);
}

}  // namespace
}  // namespace coppice::search
