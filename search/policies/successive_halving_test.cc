#include "search/policies/successive_halving.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "search/tree_scan.h"
#include "store/records/random.h"

namespace coppice::search {
namespace {

// Rungs at 2, 4 and 8 attempts.
constexpr SuccessiveHalvingOptions kQuick{.eta = 2, .first_rung = 2};
constexpr SuccessiveHalvingOptions kSlow{.eta = 4, .first_rung = 4};

TEST(SuccessiveHalvingTest, DraftsWhenNoBranchIsDueAnything) {
  EXPECT_EQ(PickWithReason(*MakeSuccessiveHalving(kQuick), "n0 10ms\n"),
            "n0: draft: no branch is due an attempt");
}

TEST(SuccessiveHalvingTest, ABranchGoesOnToItsRung) {
  EXPECT_EQ(PickWithReason(*MakeSuccessiveHalving(kSlow),
                           "n0 10ms\n  n1 8ms\n    n2 9ms\n"),
            "n1: continue: 2 of 4 attempts in the branch");
  EXPECT_EQ(Pick(*MakeSuccessiveHalving(kSlow), "n0 10ms +1\n  n1 8ms +3\n"),
            "n0");
}

// One branch alone on rung 0 is no fastest half; of two, n3's is it.
TEST(SuccessiveHalvingTest, TheFastestPartOfARungIsPromoted) {
  const std::string one =
      "n0 10ms\n"
      "  n1 8ms\n"
      "    n2 9ms\n";
  EXPECT_EQ(Pick(*MakeSuccessiveHalving(kQuick), one), "n0");
  const std::string two = one +
                          "  n3 12ms\n"
                          "    n4 7ms\n";
  EXPECT_EQ(PickWithReason(*MakeSuccessiveHalving(kQuick), two),
            "n4: promote: to 4 attempts, of the fastest 1/2 of 2 branches");
  // Once it is on the way, it goes on, whoever comes to lead rung 0.
  const std::string three = two +
                            "      n5 failed\n"
                            "  n6 6ms\n"
                            "    n7 6ms\n";
  EXPECT_EQ(PickWithReason(*MakeSuccessiveHalving(kQuick), three),
            "n4: continue: 3 of 4 attempts in the branch");
}

// n1's branch stood on rung 0 at 8 ms; the 5 ms since are of rung 1.
TEST(SuccessiveHalvingTest, ABranchStandsWithWhatItHadThen) {
  const std::string tree =
      "n0 10ms\n"
      "  n1 8ms\n"
      "    n2 9ms\n"
      "      n3 5ms\n"
      "      n4 5ms\n"
      "  n5 7ms\n"
      "    n6 9ms\n";
  // On rung 0 n5's 7 ms lead n1's 8 ms; n1 is alone on rung 1.
  EXPECT_EQ(PickWithReason(*MakeSuccessiveHalving(kQuick), tree),
            "n5: promote: to 4 attempts, of the fastest 1/2 of 2 branches");
}

TEST(SuccessiveHalvingTest, ABranchWithNothingThatPassesIsNotPromoted) {
  EXPECT_EQ(Pick(*MakeSuccessiveHalving(kQuick),
                 "n0 10ms\n"
                 "  n1 failed\n"
                 "    n2 failed\n"
                 "  n3 failed\n"
                 "    n4 failed\n"),
            "n0");
}

TEST(SuccessiveHalvingTest, ABranchThatHoldsNoCandidateIsOver) {
  EXPECT_EQ(Pick(*MakeSuccessiveHalving(kQuick), "n0 10ms\n  n1 none\n"), "n0");
}

// Within the branch: n1 has the 8 ms and two vain attempts: 0.223 - 0.2.  n2
// failed: 0.223 - 0.5.  n3: ln(10 / 9) = 0.105.
TEST(SuccessiveHalvingTest, InABranchTheNodeOfTheHighestValueIsTried) {
  const std::string tree =
      "n0 10ms\n"
      "  n1 8ms\n"
      "    n2 failed\n"
      "    n3 9ms\n";
  EXPECT_EQ(Pick(*MakeSuccessiveHalving(kSlow), tree), "n3");
  EXPECT_EQ(Pick(*MakeSuccessiveHalving(
                     {.eta = 4, .first_rung = 4, .stale_penalty = 0.0}),
                 tree),
            "n1");
  EXPECT_EQ(Pick(*MakeSuccessiveHalving(
                     {.eta = 4, .first_rung = 4, .failing_penalty = 0.0}),
                 tree),
            "n2");
}

// A failed repair more costs 0.3: n5 is worth 0.223 - 0.1 - 0.3.
TEST(SuccessiveHalvingTest, FailedRepairsMakeALeafWorthLess) {
  const std::string tree =
      "n0 10ms\n"
      "  n1 8ms\n"
      "    n2 failed\n"
      "      n3 failed\n";
  SuccessiveHalvingOptions options = kSlow;
  options.stale_penalty = 0.3;
  options.failing_penalty = 0.1;
  EXPECT_EQ(Pick(*MakeSuccessiveHalving(options), tree), "n1");
  options.repair_penalty = 0.1;
  EXPECT_EQ(Pick(*MakeSuccessiveHalving(options), tree), "n3");
}

struct PlainBranch {
  std::vector<NodeId> nodes;
  std::int64_t attempts = 0;
  std::vector<double> stood;
};

std::map<NodeId, PlainBranch> PlainRootSubtrees(const TreeScan& scan) {
  std::map<NodeId, PlainBranch> branches;
  for (const NodeId node : scan.Nodes()) {
    if (node == kRootNode) continue;
    PlainBranch& branch = branches[scan.Branch(node)];
    branch.nodes.push_back(node);
    branch.attempts += 1 + scan.InFlight(node);
  }
  for (auto& [arm, branch] : branches) {
    for (std::size_t rung = 2; rung <= branch.nodes.size(); rung *= 2) {
      double best = -1e300;
      for (std::size_t i = 0; i < rung; ++i) {
        const NodeId node = branch.nodes[i];
        if (scan.Passes(node)) best = std::max(best, scan.LogSpeedup(node));
      }
      branch.stood.push_back(best);
    }
  }
  return branches;
}

std::optional<NodeId> PlainBestIn(const TreeScan& scan,
                                  const PlainBranch& branch) {
  std::vector<NodeId> open;
  for (const NodeId node : branch.nodes) {
    const bool leaf = scan.IsExpandable(node) && scan.Attempts(node) == 0;
    if (scan.Passes(node) || leaf) open.push_back(node);
  }
  return TreeScan::Best(open, [&](NodeId node) {
    const double loss = scan.Passes(node)
                            ? 0.1 * scan.AttemptsSinceImproved(node)
                            : 0.5 + 0.3 * scan.FailedRepairs(node);
    return scan.Promise(node) - loss;
  });
}

// Whether it is among the fastest half of those on the rung.
bool PlainlyLeads(const std::map<NodeId, PlainBranch>& branches, NodeId arm,
                  std::size_t rung) {
  const double stood = branches.at(arm).stood[rung];
  std::size_t on_rung = 0, ahead = 0;
  for (const auto& [other, branch] : branches) {
    if (branch.stood.size() <= rung) continue;
    ++on_rung;
    const double theirs = branch.stood[rung];
    ahead += theirs > stood || (theirs == stood && other < arm) ? 1 : 0;
  }
  return ahead < on_rung / 2;
}

TEST(SuccessiveHalvingTest, SelectsAsAScan) {
  const auto by_scan = [](const TreeScan& scan, RandomStream&) {
    const std::map<NodeId, PlainBranch> branches = PlainRootSubtrees(scan);
    for (std::size_t stage = 8; stage-- > 0;) {
      const std::int64_t last = stage == 0 ? 0 : std::int64_t{1} << stage;
      for (const auto& [arm, branch] : branches) {
        if (branch.attempts > last && branch.attempts < 2 << stage) {
          const auto best = PlainBestIn(scan, branch);
          if (best) return *best;
        }
      }
      std::optional<NodeId> promoted;
      for (const auto& [arm, branch] : branches) {
        if (stage == 0 || branch.attempts != last ||
            branch.stood.size() != stage || branch.stood.back() < -1e299 ||
            !PlainlyLeads(branches, arm, stage - 1) ||
            !PlainBestIn(scan, branch)) {
          continue;
        }
        if (!promoted ||
            branch.stood.back() > branches.at(*promoted).stood.back()) {
          promoted = arm;
        }
      }
      if (promoted) return *PlainBestIn(scan, branches.at(*promoted));
    }
    return kRootNode;
  };
  EXPECT_EQ(FirstDifference(*MakeSuccessiveHalving(kQuick), by_scan), "");
}

}  // namespace
}  // namespace coppice::search
