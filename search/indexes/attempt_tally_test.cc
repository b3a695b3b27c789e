#include "search/indexes/attempt_tally.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "search/random_tree.h"
#include "search/text_tree.h"
#include "search/tree_scan.h"

namespace coppice::search {
namespace {

AttemptTally TallyOf(std::string_view text) {
  const Tree tree = BuildTree(text);
  Lineage lineage;
  AttemptTally tally;
  for (std::int64_t i = 0; i < tree.Size(); ++i) {
    lineage.Add(tree, NodeId{i});
    tally.Add(tree, lineage, NodeId{i});
  }
  return tally;
}

std::string Text(const Tally& tally) {
  return std::to_string(tally.hits) + " of " + std::to_string(tally.tries);
}

TEST(AttemptTallyTest, ATreeOfOneHasNoAttempts) {
  const AttemptTally tally = TallyOf("n0 10ms\n");
  EXPECT_EQ(Text(tally.first_hops()), "0 of 0");
  EXPECT_EQ(Text(tally.edits()), "0 of 0");
  EXPECT_TRUE(tally.first_hop_speeds().empty());
}

TEST(AttemptTallyTest, FirstHopsCountWhetherTheyPass) {
  const AttemptTally tally = TallyOf(
      "n0 10ms\n"
      "  n1 20ms\n"
      "  n2 none\n"
      "  n3 5ms\n");
  EXPECT_EQ(Text(tally.first_hops()), "2 of 3");
  // ln 2 = 0.693 = 34.7 steps of 0.02.
  EXPECT_EQ(tally.first_hop_speeds(),
            (std::map<int, std::int64_t>{{-35, 1}, {35, 1}}));
}

TEST(AttemptTallyTest, AnEditCountsIfItImprovesAndByHowMuch) {
  // Three edits are made of n1: n2 gains ln(8 / 4), n3 is no faster, n4 fails.
  const AttemptTally tally = TallyOf(
      "n0 10ms\n"
      "  n1 8ms\n"
      "    n2 4ms\n"
      "    n3 8ms\n"
      "    n4 failed\n");
  EXPECT_EQ(Text(tally.edits()), "1 of 3");
  EXPECT_DOUBLE_EQ(tally.total_gain(), std::log(2.0));
}

TEST(AttemptTallyTest, RepairsCountByStepAndByWhatTheyMend) {
  const AttemptTally tally = TallyOf(
      "n0 10ms\n"
      "  n1 failed\n"         // A first hop;
      "    n2 failed\n"       // its first repair fails,
      "      n3 9ms\n"        // its second passes;
      "        n4 failed\n"   // an edit;
      "          n5 9ms\n"    // its repair passes and gains nothing.
      "          n6 8ms\n");  // This one gains.
  EXPECT_EQ(Text(tally.repairs(0)), "2 of 3");
  EXPECT_EQ(Text(tally.repairs(1)), "1 of 1");
  EXPECT_EQ(Text(tally.edit_repairs(0)), "1 of 2");
  EXPECT_EQ(Text(tally.edit_repairs(1)), "0 of 0");
  EXPECT_EQ(Text(tally.edits()), "0 of 1");
}

TEST(AttemptTallyTest, MendingsCountAmongRepairsAndApart) {
  const AttemptTally tally = TallyOf(
      "n0 10ms\n"
      "  n1 compile_failed\n"  // A first hop; its mending passes.
      "    n2 9ms\n"
      "      n3 compile_failed\n"  // An edit; its mending is wrong,
      "        n4 failed\n"        // and the repair of that gains.
      "          n5 8ms\n");
  EXPECT_EQ(Text(tally.repairs(0)), "1 of 2");
  EXPECT_EQ(Text(tally.mendings(0)), "1 of 2");
  EXPECT_EQ(Text(tally.edit_mendings(0)), "0 of 1");
  EXPECT_EQ(Text(tally.repairs(1)), "1 of 1");
  EXPECT_EQ(Text(tally.mendings(1)), "0 of 0");
  EXPECT_EQ(Text(tally.edit_mendings(1)), "0 of 0");
}

TEST(AttemptTallyTest, LaterRepairsCountAsTheThird) {
  const AttemptTally tally = TallyOf(
      "n0 10ms\n"
      "  n1 failed\n"
      "    n2 failed\n"
      "      n3 failed\n"
      "        n4 failed\n"
      "          n5 9ms\n");
  EXPECT_EQ(Text(tally.repairs(2)), "1 of 2");
  EXPECT_EQ(&tally.repairs(9), &tally.repairs(2));
}

// n2 mends n1, which ran wrong at twice the root's speed: its plan can be
// compiled, so n3 is a repair like others.  n4 never ran, so n5 is a mending.
TEST(AttemptTallyTest, ARepairThatDoesNotCompileKeepsTheHintOfWhatRan) {
  constexpr std::string_view kText =
      "n0 10ms\n"
      "  n1 failed ~2x\n"
      "    n2 compile_failed\n"
      "      n3 failed\n"
      "  n4 compile_failed\n"
      "    n5 failed\n";
  const AttemptTally tally = TallyOf(kText);
  EXPECT_EQ(Text(tally.mendings(0)), "0 of 1");  // n5.
  EXPECT_EQ(Text(tally.mendings(1)), "0 of 0");
  EXPECT_EQ(Text(tally.repairs(1)), "0 of 1");  // n3.
  const Tree tree = BuildTree(kText);
  EXPECT_NEAR(HintOf(tree, NodeId{1}).value(), std::log(2.0), 1e-6);
  EXPECT_EQ(HintOf(tree, NodeId{2}), HintOf(tree, NodeId{1}));
  EXPECT_EQ(HintOf(tree, NodeId{3}), std::nullopt);  // It ran, and told none.
  EXPECT_FALSE(NeverRan(tree, NodeId{2}));
  EXPECT_TRUE(NeverRan(tree, NodeId{4}));
}

// Steps of 0.02 are rounded to the nearest, and no speedup is step 0.
TEST(AttemptTallyTest, SpeedsOfFirstHopsAreRoundedToSteps) {
  // ln(10 / 9.95) = 0.0050 = 0.25 steps; ln(10 / 9.85) = 0.0151 = 0.76 steps;
  // ln(10 / 10.15) = -0.0149 = -0.74 steps.
  const AttemptTally tally = TallyOf(
      "n0 10ms\n"
      "  n1 10ms\n"
      "  n2 9.95ms\n"
      "  n3 9.85ms\n"
      "  n4 10.15ms\n");
  EXPECT_EQ(tally.first_hop_speeds(),
            (std::map<int, std::int64_t>{{-1, 1}, {0, 2}, {1, 1}}));
}

TEST(AttemptTallyTest, WhatSomeCameToMayBeTakenFromAll) {
  const Tally rest = Tally{9, 4} - Tally{3, 1};
  EXPECT_EQ(rest.tries, 6);
  EXPECT_EQ(rest.hits, 3);
}

struct ScannedTallies {
  Tally hops;
  Tally edits;
  std::array<Tally, 3> repairs{};
  std::array<Tally, 3> edit_repairs{};
  std::array<Tally, 3> mendings{};
  std::array<Tally, 3> edit_mendings{};
  double gain = 0.0;
};

ScannedTallies TalliesByScan(const TextTree& text) {
  const TreeScan scan(text);
  ScannedTallies found;
  const auto count = [](Tally& tally, bool hit) {
    ++tally.tries;
    tally.hits += hit ? 1 : 0;
  };
  for (const NodeId node : scan.Where([](NodeId) { return true; })) {
    const NodeId parent = scan.Parent(node);
    NodeId base = parent;
    while (base != kRootNode && !scan.Passes(base)) base = scan.Parent(base);
    const bool passes = scan.Passes(node);
    const bool improves =
        passes && (!scan.Passes(base) ||
                   scan.LogSpeedup(node) > scan.LogSpeedup(base) + 0.01);
    if (parent == kRootNode) {
      count(found.hops, passes);
    } else if (scan.Passes(parent)) {
      count(found.edits, improves);
      if (improves) found.gain += scan.LogSpeedup(node) - scan.LogSpeedup(base);
    } else {
      const auto step =
          static_cast<std::size_t>(std::min(scan.FailedRepairs(parent), 2));
      const NodeSummary& mended = scan.Node(parent);
      const bool never_ran = mended.verdict == Verdict::kCompileFailed &&
                             !scan.Node(*mended.parent).log_hint;
      count(found.repairs[step], passes);
      if (never_ran) count(found.mendings[step], passes);
      if (base == kRootNode) continue;
      count(found.edit_repairs[step], improves);
      if (never_ran) count(found.edit_mendings[step], improves);
    }
  }
  return found;
}

TEST(AttemptTallyTest, AgreesWithAScanOfRandomTrees) {
  RandomStream stream(15, Purpose::kSimulation, 0);
  for (int i = 0; i < 500; ++i) {
    const TextTree text = RandomTree(stream);
    const Tree tree = BuildTree(text);
    Lineage lineage;
    AttemptTally tally;
    for (const NodeSummary& node : text.nodes) {
      lineage.Add(tree, node.id);
      tally.Add(tree, lineage, node.id);
    }
    const ScannedTallies scanned = TalliesByScan(text);
    ASSERT_EQ(Text(tally.first_hops()), Text(scanned.hops)) << i;
    ASSERT_EQ(Text(tally.edits()), Text(scanned.edits)) << i;
    ASSERT_NEAR(tally.total_gain(), scanned.gain, 1e-9) << i;
    for (int step = 0; step < 3; ++step) {
      const auto at = static_cast<std::size_t>(step);
      ASSERT_EQ(Text(tally.repairs(step)), Text(scanned.repairs[at])) << i;
      ASSERT_EQ(Text(tally.edit_repairs(step)), Text(scanned.edit_repairs[at]))
          << i;
      ASSERT_EQ(Text(tally.mendings(step)), Text(scanned.mendings[at])) << i;
      ASSERT_EQ(Text(tally.edit_mendings(step)),
                Text(scanned.edit_mendings[at]))
          << i;
    }
  }
}

}  // namespace
}  // namespace coppice::search
