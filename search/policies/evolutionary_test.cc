#include "search/policies/evolutionary.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "search/tree_scan.h"
#include "store/records/random.h"

namespace coppice::search {
namespace {

// Only tournaments, unless an option says otherwise.
EvolutionaryOptions OnlyTournaments() {
  return {.drafts = 1, .debug_share = 0.0, .elite_share = 0.0};
}

constexpr std::string_view kKin =
    "n0 10ms\n"
    "  n1 5ms\n"
    "    n2 8ms\n"
    "    n3 failed\n"
    "    n4 9ms\n"
    "    n5 7ms\n";

TEST(EvolutionaryTest, DraftsFirstAndWhileNothingPasses) {
  const auto policy = MakeEvolutionary({.drafts = 2});
  EXPECT_EQ(PickWithReason(*policy, kKin), "n0: draft: 1 of 2 are begun");
  auto options = OnlyTournaments();
  EXPECT_EQ(PickWithReason(*MakeEvolutionary(options), "n0 1ms\n  n1 none\n"),
            "n0: draft: no other node passes");
}

// The youngest two passing are n4 and n5.  n5 wins unless both draws are n4:
// 3/4 of 4,000, standard deviation 27.
TEST(EvolutionaryTest, ATournamentIsAmongTheYoungest) {
  auto options = OnlyTournaments();
  options.population = 2;
  options.tournament = 2;
  auto counts = PickOften(*MakeEvolutionary(options), kKin, 4000);
  EXPECT_NEAR(counts["n5"], 3000, 137);
  EXPECT_NEAR(counts["n4"], 1000, 137);
  EXPECT_EQ(counts.size(), 2u);
  EXPECT_TRUE(PickWithReason(*MakeEvolutionary(options), kKin)
                  .ends_with("fastest of 2 drawn from 2"));
}

TEST(EvolutionaryTest, TheEliteMayBeDeadOfAge) {
  auto options = OnlyTournaments();
  options.population = 1;
  EXPECT_EQ(Pick(*MakeEvolutionary(options), kKin), "n5");
  options.elite_share = 1.0;
  EXPECT_EQ(PickWithReason(*MakeEvolutionary(options), kKin),
            "n1: improve: lowest runtime 5 ms");
}

TEST(EvolutionaryTest, AShareDebugsFailingLeaves) {
  auto options = OnlyTournaments();
  options.debug_share = 1.0;
  EXPECT_EQ(PickWithReason(*MakeEvolutionary(options), kKin),
            "n3: debug: uniform over 1 failing leaves");
}

TEST(EvolutionaryTest, SelectsAsAScan) {
  const auto by_scan = [](const TreeScan& scan, RandomStream& stream) {
    if (scan.Attempts(kRootNode) < 3) return kRootNode;
    const std::vector<NodeId> failing = scan.DebugLeaves(2);
    if (stream.Uniform() < 0.5 && !failing.empty()) {
      return DrawOne(failing, stream);
    }
    const std::vector<NodeId> passing = scan.Passing();
    if (stream.Uniform() < 0.25 || passing.empty()) {
      return scan.Fastest(passing).value_or(kRootNode);
    }
    return scan.Tournament(passing, std::min<std::size_t>(4, passing.size()), 3,
                           stream);
  };
  EXPECT_EQ(
      FirstDifference(
          *MakeEvolutionary({.drafts = 3, .population = 4, .tournament = 3}),
          by_scan),
      "");
}

}  // namespace
}  // namespace coppice::search
