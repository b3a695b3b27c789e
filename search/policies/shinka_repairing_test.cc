#include "search/policies/shinka_repairing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "search/tree_scan.h"
#include "search/weighted_draw.h"

namespace coppice::search {
namespace {

using ::testing::EndsWith;

ShinkaRepairingOptions OnlyArchive() {
  return {.drafts = 1, .debug_share = 0.0};
}

// Two equally fast leaves; on n1 are an attempt and a failing child.  Chances
// 1/3 to 1: 750 and 2,250 of 3,000, standard deviation 24.
TEST(ShinkaRepairingTest, AttemptsInFlightCountAsChildren) {
  const std::string_view tree =
      "n0 10ms\n"
      "  n1 8ms +1\n"
      "    n3 none\n"
      "  n2 8ms\n";
  auto counts = PickOften(*MakeShinkaRepairing(OnlyArchive()), tree, 3000);
  EXPECT_NEAR(counts["n1"], 750, 120);
  EXPECT_NEAR(counts["n2"], 2250, 120);
}

// Ranks n2, n1, n3 at 1, 1/2, 1/3: of 5,500, 3,000 and 1,500 and 1,000.
// Standard deviations 37, 33, 29.
TEST(ShinkaRepairingTest, PowerLawIsByRankAlone) {
  const std::string_view tree =
      "n0 10ms\n"
      "  n1 8ms\n"
      "  n2 1ms\n"
      "  n3 9ms\n";
  const auto policy = MakeShinkaRepairingPowerLaw(OnlyArchive());
  auto counts = PickOften(*policy, tree, 5500);
  EXPECT_NEAR(counts["n2"], 3000, 185);
  EXPECT_NEAR(counts["n1"], 1500, 165);
  EXPECT_NEAR(counts["n3"], 1000, 145);
}

TEST(ShinkaRepairingTest, OnlyTheArchiveIsDrawnFrom) {
  auto options = OnlyArchive();
  options.archive = 1;
  EXPECT_EQ(PickWithReason(*MakeShinkaRepairingPowerLaw(options),
                           "n0 10ms\n  n1 8ms\n  n2 7ms\n  n3 7ms\n"),
            "n2: improve: rank 1 of 1, chance 1.000");
}

TEST(ShinkaRepairingTest, DraftsFirstAndWhileNothingPasses) {
  EXPECT_THAT(PickWithReason(*MakeShinkaRepairing(), "n0 10ms\n"),
              EndsWith("0 of 5 are begun"));
  EXPECT_EQ(Pick(*MakeShinkaRepairing(OnlyArchive()), "n0 1ms\n  n1 none\n"),
            "n0");
}

// The archive sorted anew, and a weight for each of it.
template <class Weights>
NodeId ScanShinka(const TreeScan& scan, RandomStream& stream,
                  std::size_t capacity, Weights weights_of) {
  if (scan.Attempts(kRootNode) < 2) return kRootNode;
  const std::vector<NodeId> failing = scan.DebugLeaves(2);
  if (stream.Uniform() < 0.5 && !failing.empty()) {
    return DrawOne(failing, stream);
  }
  std::vector<NodeId> archive = scan.Passing();
  std::sort(archive.begin(), archive.end(),
            [&](NodeId a, NodeId b) { return scan.IsFaster(a, b); });
  archive.resize(std::min(archive.size(), capacity));
  if (archive.empty()) return kRootNode;
  const std::vector<double> weights = weights_of(archive);
  double draw =
      stream.Uniform() * std::accumulate(weights.begin(), weights.end(), 0.0);
  for (std::size_t i = 0; i < archive.size(); ++i) {
    draw -= weights[i];
    if (draw < 0.0) return archive[i];
  }
  return archive.back();
}

TEST(ShinkaRepairingTest, WeightedSelectsAsAScan) {
  const auto by_scan = [](const TreeScan& scan, RandomStream& stream) {
    return ScanShinka(scan, stream, 6, [&](const std::vector<NodeId>& archive) {
      std::vector<double> log_speedups;
      std::vector<int> children;
      for (const NodeId node : archive) {
        log_speedups.push_back(scan.LogSpeedup(node));
        children.push_back(scan.Attempts(node));
      }
      return ShinkaWeights(log_speedups, children, 10.0);
    });
  };
  EXPECT_EQ(FirstDifference(*MakeShinkaRepairing({.drafts = 2, .archive = 6}),
                            by_scan),
            "");
}

TEST(ShinkaRepairingTest, PowerLawSelectsAsAScan) {
  const auto by_scan = [](const TreeScan& scan, RandomStream& stream) {
    return ScanShinka(scan, stream, 6, [&](const std::vector<NodeId>& archive) {
      std::vector<double> weights;
      for (std::size_t i = 1; i <= archive.size(); ++i) {
        weights.push_back(1.0 / static_cast<double>(i));
      }
      return weights;
    });
  };
  EXPECT_EQ(
      FirstDifference(*MakeShinkaRepairingPowerLaw({.drafts = 2, .archive = 6}),
                      by_scan),
      "");
}

}  // namespace
}  // namespace coppice::search
