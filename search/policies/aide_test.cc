#include "search/policies/aide.h"

#include <gtest/gtest.h>

#include "search/tree_scan.h"
#include "store/records/random.h"

namespace coppice::search {
namespace {

constexpr std::string_view kDrafted =
    "n0 10ms\n"
    "  n1 8ms\n"
    "    n3 failed\n"
    "    n4 none\n"
    "  n2 failed\n";

TEST(AideTest, DraftsUntilThereAreEnough) {
  const auto policy = MakeAide({.drafts = 3});
  EXPECT_EQ(PickWithReason(*policy, kDrafted), "n0: draft: 2 of 3 are begun");
  EXPECT_EQ(PickWithReason(*policy, "n0 10ms +3\n"),
            "n0: draft: no other node passes");
}

TEST(AideTest, ImprovesTheFastestAndNeverTheRoot) {
  const auto policy = MakeAide({.drafts = 2, .debug_share = 0.0});
  EXPECT_EQ(PickWithReason(*policy, kDrafted),
            "n1: improve: lowest runtime 8 ms");
  EXPECT_EQ(Pick(*policy, "n0 1ms\n  n1 8ms +2\n  n2 9ms\n"), "n1");
}

// The failing leaves are n2 and n3.  1,000 of 4,000 draw each, and 2,000
// improve; standard deviations 27 and 32.
TEST(AideTest, DebugsAUniformFailingLeafWithTheGivenProbability) {
  const auto policy = MakeAide({.drafts = 2});
  auto counts = PickOften(*policy, kDrafted, 4000);
  EXPECT_NEAR(counts["n1"], 2000, 160);
  EXPECT_NEAR(counts["n2"], 1000, 137);
  EXPECT_NEAR(counts["n3"], 1000, 137);
  EXPECT_EQ(counts.size(), 3u);
}

TEST(AideTest, GivesUpALeafThatWasRepairedTooOften) {
  const std::string chain =
      "n0 10ms\n"
      "  n1 failed\n"
      "    n2 failed\n"
      "      n3 failed\n";
  const AideOptions options{.drafts = 1, .debug_share = 1.0};
  const std::string third = chain + "        n4 failed\n";  // n4: 3 behind it.
  EXPECT_EQ(Pick(*MakeAide(options), third), "n4");
  EXPECT_EQ(Pick(*MakeAide(options), third + "          n5 failed\n"), "n0");
}

TEST(AideTest, SelectsAsAScan) {
  const auto by_scan = [](const TreeScan& scan, RandomStream& stream) {
    if (scan.Attempts(kRootNode) < 3) return kRootNode;
    const std::vector<NodeId> failing = scan.DebugLeaves(1);
    if (stream.Uniform() < 0.5 && !failing.empty()) {
      return DrawOne(failing, stream);
    }
    return scan.Fastest(scan.Passing()).value_or(kRootNode);
  };
  EXPECT_EQ(FirstDifference(*MakeAide({.drafts = 3, .max_failed_repairs = 1}),
                            by_scan),
            "");
}

}  // namespace
}  // namespace coppice::search
