#include "search/policies/operator_bandit.h"

#include <gtest/gtest.h>

#include <array>

#include "search/tree_scan.h"
#include "store/records/random.h"

namespace coppice::search {
namespace {

TEST(OperatorBanditTest, ALoneRootIsDrafted) {
  EXPECT_TRUE(PickWithReason(*MakeOperatorBandit(), "n0 10ms\n")
                  .starts_with("n0: draft; it drew 0."));
}

// Debugging nothing and improving nothing cannot be done: the only leaf holds
// no candidate.
TEST(OperatorBanditTest, WhatCannotBeDoneIsNotChosen) {
  auto counts = PickOften(*MakeOperatorBandit(), "n0 failed\n  n1 none\n", 200);
  EXPECT_EQ(counts["n0"], 200);
}

// With priors of next to nothing and no discount, a draw is near wins / (wins +
// losses).  n1 is the first that passes and n3 beats it: drafts won 1 of 1,
// improving the best 1 of 1.  n4 and n5 were made from n1 when n3 was the best:
// improving a leaf lost 2 of 2.  n6 repaired n5 in vain: debugging lost 1 of 1.
constexpr std::string_view kDeeds =
    "n0 10ms\n"
    "  n1 8ms\n"
    "    n3 7ms\n"
    "    n4 9ms\n"
    "    n5 failed\n"
    "      n6 failed\n"
    "  n2 failed\n";

TEST(OperatorBanditTest, RewardsOperatorsByTheTreeInCommitOrder) {
  const auto policy = MakeOperatorBandit(
      {.prior_wins = 1e-3, .prior_losses = 1e-3, .discount = 1.0});
  auto counts = PickOften(*policy, kDeeds, 1000);
  // n2 lost for drafts, so Beta(1, 1) of them is below improving the best,
  // which is about 1.  n6, n2 would be debugged, n4 or n3 be leaves.
  EXPECT_GT(counts["n3"], 950);
  EXPECT_EQ(counts["n6"] + counts["n2"] + counts["n4"], 0);
}

// Ten losses in a row below n1; with a discount of 0.5 they weigh 2 at most.
// Improving the best draws from Beta(0.6, 11.2) or about Beta(0.6, 3.2): the
// mean is 0.05 or 0.16.
TEST(OperatorBanditTest, TheDiscountForgetsWhatIsLongAgo) {
  std::string tree = "n0 10ms\n  n1 8ms\n";
  for (int i = 2; i < 12; ++i) {
    tree.append("    n").append(std::to_string(i)).append(" none\n");
  }
  auto never = PickOften(*MakeOperatorBandit({.discount = 1.0}), tree, 1000);
  auto soon = PickOften(*MakeOperatorBandit({.discount = 0.5}), tree, 1000);
  EXPECT_LT(never["n1"], soon["n1"]);
}

// n1 was a win, so the mean over all operators is 1.6 / 2.8 = 0.571.  The mean
// of 10,000 draws at that mean deviates by 0.005.
TEST(OperatorBanditTest, AttemptsInFlightCountAtTheMeanOfAllOperators) {
  const auto policy = MakeOperatorBandit();
  int drafts = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const std::string choice =
        PickWithReason(*policy, "n0 10ms +10000\n  n1 8ms\n", seed);
    if (!choice.starts_with("n0: draft; it drew ")) continue;
    EXPECT_NEAR(std::stod(choice.substr(choice.rfind(' '))), 0.571, 0.026);
    ++drafts;
  }
  EXPECT_GT(drafts, 30);
}

struct Tally {
  double wins = 0.6;
  double losses = 1.2;
};

NodeId ScanOperatorBandit(const TreeScan& scan, RandomStream& stream) {
  std::array<Tally, 4> won{};
  for (Tally& tally : won) tally = {0.0, 0.0};
  std::optional<NodeId> best;
  const auto action_on = [&](NodeId parent) -> std::size_t {
    if (parent == kRootNode) return 0;
    if (!scan.Passes(parent)) return 3;
    return parent == best ? 1 : 2;
  };
  for (const NodeId node : scan.Nodes()) {
    if (node == kRootNode) continue;
    for (Tally& tally : won) tally = {tally.wins * 0.97, tally.losses * 0.97};
    Tally& tally = won[action_on(scan.Parent(node))];
    const bool wins =
        scan.Passes(node) &&
        (!best || scan.LogSpeedup(node) > scan.LogSpeedup(*best) - 0.02);
    (wins ? tally.wins : tally.losses) += 1.0;
    if (scan.Passes(node) && (!best || scan.IsFaster(node, *best))) best = node;
  }
  Tally all;
  for (Tally& tally : won) {
    all.wins += tally.wins;
    all.losses += tally.losses;
    tally = {tally.wins + 0.6, tally.losses + 1.2};
  }
  const double mean = all.wins / (all.wins + all.losses);
  for (const NodeId node : scan.Nodes()) {
    Tally& tally = won[action_on(node)];
    tally.wins += mean * scan.InFlight(node);
    tally.losses += (1.0 - mean) * scan.InFlight(node);
  }
  const std::vector<NodeId> failing = scan.DebugLeaves(3);
  const std::vector<NodeId> leaves = scan.PassingLeaves();
  const std::array<bool, 4> can = {true, best.has_value(), best.has_value(),
                                   !failing.empty()};
  std::size_t chosen = 0;
  double highest = -1.0;
  for (std::size_t i = 0; i < 4; ++i) {
    const double draw = stream.Beta(won[i].wins, won[i].losses);
    if (can[i] && draw > highest) {
      highest = draw;
      chosen = i;
    }
  }
  if (chosen == 0) return kRootNode;
  if (chosen == 3) return DrawOne(failing, stream);
  if (chosen == 2 && !leaves.empty()) {
    return scan.Tournament(leaves, leaves.size(), 2, stream);
  }
  return *best;
}

TEST(OperatorBanditTest, SelectsAsAScan) {
  EXPECT_EQ(FirstDifference(*MakeOperatorBandit(), ScanOperatorBandit), "");
}

}  // namespace
}  // namespace coppice::search
