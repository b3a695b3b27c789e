#include "search/shinka.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "search/tree_scan.h"

namespace coppice::search {
namespace {

using ::testing::EndsWith;

ShinkaOptions OnlyArchive() { return {.drafts = 1, .debug_share = 0.0}; }

std::vector<double> Chances(std::vector<double> weights) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= total;
  return weights;
}

// Computed from Shinka's own formula: x0 = 2.5, D = 1.
TEST(ShinkaTest, WeightsAreThoseOfShinka) {
  const std::vector<double> chances =
      Chances(ShinkaWeights({1, 2, 3, 5}, {0, 3, 1, 0}, 10.0));
  EXPECT_NEAR(chances[0], 0.000000, 1e-6);
  EXPECT_NEAR(chances[1], 0.001117, 1e-6);
  EXPECT_NEAR(chances[2], 0.331472, 1e-6);
  EXPECT_NEAR(chances[3], 0.667411, 1e-6);
}

// All at the median: sigmoid(0) = 1/2, over one more than the children.
TEST(ShinkaTest, EquallyFastNodesDifferByTheirChildrenAlone) {
  const std::vector<double> weights = ShinkaWeights({2, 2}, {0, 3}, 10.0);
  EXPECT_DOUBLE_EQ(weights[0], 0.5);
  EXPECT_DOUBLE_EQ(weights[1], 0.125);
}

// e^-x for x in the thousands is 0, and 1 / (1 + inf) too.
TEST(ShinkaTest, AnExtremeSpreadIsNoDivisionByZero) {
  const std::vector<double> weights = ShinkaWeights({0, 0, 9}, {0, 0, 0}, 10.0);
  EXPECT_DOUBLE_EQ(weights[0], 0.5);
  EXPECT_DOUBLE_EQ(weights[2], 1.0);
}

// Two equally fast leaves; on n1 are an attempt and a failing child.  Chances
// 1/3 to 1: 750 and 2,250 of 3,000, standard deviation 24.
TEST(ShinkaTest, AttemptsInFlightCountAsChildren) {
  const std::string_view tree =
      "n0 10ms\n"
      "  n1 8ms +1\n"
      "    n3 none\n"
      "  n2 8ms\n";
  auto counts = PickOften(*MakeShinkaWeighted(OnlyArchive()), tree, 3000);
  EXPECT_NEAR(counts["n1"], 750, 120);
  EXPECT_NEAR(counts["n2"], 2250, 120);
}

// Ranks n2, n1, n3 at 1, 1/2, 1/3: of 5,500, 3,000 and 1,500 and 1,000.
// Standard deviations 37, 33, 29.
TEST(ShinkaTest, PowerLawIsByRankAlone) {
  const std::string_view tree =
      "n0 10ms\n"
      "  n1 8ms\n"
      "  n2 1ms\n"
      "  n3 9ms\n";
  const auto policy = MakeShinkaPowerLaw(OnlyArchive());
  auto counts = PickOften(*policy, tree, 5500);
  EXPECT_NEAR(counts["n2"], 3000, 185);
  EXPECT_NEAR(counts["n1"], 1500, 165);
  EXPECT_NEAR(counts["n3"], 1000, 145);
}

TEST(ShinkaTest, OnlyTheArchiveIsDrawnFrom) {
  auto options = OnlyArchive();
  options.archive = 1;
  EXPECT_EQ(PickWithReason(*MakeShinkaPowerLaw(options),
                           "n0 10ms\n  n1 8ms\n  n2 7ms\n  n3 7ms\n"),
            "n2: improve: rank 1 of 1, chance 1.000");
}

TEST(ShinkaTest, DraftsFirstAndWhileNothingPasses) {
  EXPECT_THAT(PickWithReason(*MakeShinkaWeighted(), "n0 10ms\n"),
              EndsWith("0 of 5 are begun"));
  EXPECT_EQ(Pick(*MakeShinkaWeighted(OnlyArchive()), "n0 1ms\n  n1 none\n"),
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

TEST(ShinkaTest, WeightedSelectsAsAScan) {
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
  EXPECT_EQ(FirstDifference(*MakeShinkaWeighted({.drafts = 2, .archive = 6}),
                            by_scan),
            "");
}

TEST(ShinkaTest, PowerLawSelectsAsAScan) {
  const auto by_scan = [](const TreeScan& scan, RandomStream& stream) {
    return ScanShinka(scan, stream, 6, [&](const std::vector<NodeId>& archive) {
      std::vector<double> weights;
      for (std::size_t i = 1; i <= archive.size(); ++i) {
        weights.push_back(1.0 / static_cast<double>(i));
      }
      return weights;
    });
  };
  EXPECT_EQ(FirstDifference(*MakeShinkaPowerLaw({.drafts = 2, .archive = 6}),
                            by_scan),
            "");
}

}  // namespace
}  // namespace coppice::search
