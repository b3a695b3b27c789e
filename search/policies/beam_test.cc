#include "search/policies/beam.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "search/tree_scan.h"
#include "store/records/random.h"

namespace coppice::search {
namespace {

constexpr BeamOptions kSmall{.width = 2, .samples = 2};

TEST(BeamTest, DefaultsAreTenFirstHops) {
  EXPECT_EQ(PickWithReason(*MakeBeam(), "n0 10ms +9\n"),
            "n0: draft: 9 of 10 are begun");
}

// The beam at depth 1 is n2, n1.  n2 has its two children, n1 lacks one; then
// the beam at depth 2 is n6, n5.
TEST(BeamTest, FinishesADepthBeforeTheNext) {
  const std::string one =
      "n0 10ms\n"
      "  n1 8ms\n"
      "    n5 6ms\n"
      "  n2 7ms\n"
      "    n6 5ms\n"
      "    n7 failed\n"
      "  n3 9ms\n"
      "  n4 none\n";
  const auto policy = MakeBeam(kSmall);
  // ln(10 / 8) = 0.223.
  EXPECT_EQ(PickWithReason(*policy, one),
            "n1: beam: depth 1, promise 0.223, 1 of 2 children are begun");
  std::string in_flight = one;
  in_flight.replace(in_flight.find("n1 8ms"), 6, "n1 8ms +1");
  EXPECT_EQ(Pick(*policy, in_flight), "n6");
}

// n2 was made from n1: ln(10 / 4) - 2 = -1.08.  It promises less than n3, which
// passes: ln(10 / 25) = -0.92; more than n4: -1.10.
TEST(BeamTest, AFailingNodePromisesLess) {
  const std::string tree =
      "n0 10ms\n"
      "  n1 4ms\n"
      "    n2 failed\n"
      "    n3 25ms +1\n"
      "    n4 30ms\n";
  const auto policy = MakeBeam({.width = 1, .samples = 1});
  // The beam of one at depth 2 is n3: an attempt on it is all it is due.
  EXPECT_EQ(Pick(*policy, tree), "n3");
  const auto wide = MakeBeam({.width = 2, .samples = 1});
  std::string two = tree;
  two.append("  n5 failed\n");
  // At depth 1, n5 is due its child first.
  EXPECT_EQ(Pick(*wide, two), "n5");
  two.append("    n6 none\n");
  EXPECT_EQ(PickWithReason(*wide, two),
            "n2: beam: depth 2, promise -1.084, 0 of 1 children are begun");
}

TEST(BeamTest, WhileAllIsInFlightTheLeastTriedGetsMore) {
  const auto policy = MakeBeam(kSmall);
  EXPECT_EQ(Pick(*policy,
                 "n0 10ms +2\n"
                 "  n1 8ms +3\n"
                 "  n2 9ms +2\n"),
            "n2");
  EXPECT_EQ(Pick(*policy, "n0 10ms +4\n"), "n0");
}

TEST(BeamTest, ADepthOfNoCandidatesIsNoEnd) {
  const auto policy = MakeBeam({.width = 1, .samples = 2});
  EXPECT_EQ(PickWithReason(*policy,
                           "n0 10ms\n"
                           "  n1 8ms\n"
                           "    n3 none\n"
                           "    n4 none\n"
                           "  n2 9ms\n"),
            "n1: beam: depth 1, promise 0.223, 2 of 2 children are begun");
  EXPECT_EQ(Pick(*policy, "n0 failed\n  n1 none\n  n2 none\n"), "n0");
}

TEST(BeamTest, SelectsAsAScan) {
  const auto by_scan = [](const TreeScan& scan, RandomStream& stream) {
    if (scan.Attempts(kRootNode) < 4) return kRootNode;
    int deepest = 0;
    for (const NodeId node : scan.Nodes()) {
      deepest = std::max(deepest, scan.Depth(node));
    }
    const auto beam = [&](int depth) {
      std::vector<NodeId> left = scan.Where([&](NodeId node) {
        return scan.Depth(node) == depth && scan.IsExpandable(node);
      });
      std::vector<NodeId> best;
      while (best.size() < 2 && !left.empty()) {
        best.push_back(*TreeScan::Best(left, [&](NodeId node) {
          return scan.Promise(node) - (scan.Passes(node) ? 0.0 : 2.0);
        }));
        std::erase(left, best.back());
      }
      return best;
    };
    const int above = std::max(1, deepest - 1);
    for (int depth = above; depth <= deepest; ++depth) {
      for (const NodeId node : beam(depth)) {
        if (scan.Attempts(node) < 2) return node;
      }
    }
    for (int depth = deepest; depth >= above; --depth) {
      const auto least = TreeScan::Best(
          beam(depth), [&](NodeId node) { return -scan.Attempts(node); });
      if (least) return *least;
    }
    std::vector<NodeId> passing, failing;
    for (const NodeId node : scan.Nodes()) {
      if (!scan.IsExpandable(node)) continue;
      (scan.Passes(node) ? passing : failing).push_back(node);
    }
    if (!passing.empty()) return *scan.Fastest(passing);
    return failing.empty() ? kRootNode : DrawOne(failing, stream);
  };
  EXPECT_EQ(FirstDifference(*MakeBeam(kSmall), by_scan), "");
}

}  // namespace
}  // namespace coppice::search
