// Holds the indexed tree and every policy to plain scans of random trees.  The
// scans are written from the definitions and share no code with the indexes.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "search/policies/best_of_k.h"
#include "search/policies/epsilon_greedy.h"
#include "search/policies/greedy.h"
#include "search/policies/reflexion.h"
#include "search/policies/stark.h"
#include "search/random_tree.h"
#include "search/text_tree.h"
#include "search/tree.h"

namespace coppice::search {
namespace {

// What a scan finds.
struct Scan {
  const TextTree& tree;
  Eligibility rule;

  bool Passes(const NodeSummary& node) const {
    return node.verdict == Verdict::kPassed;
  }
  int Children(NodeId parent, bool failing_only) const {
    return static_cast<int>(std::count_if(
        tree.nodes.begin(), tree.nodes.end(), [&](const NodeSummary& node) {
          const bool fails =
              !Passes(node) && node.verdict != Verdict::kInconclusive;
          return node.parent == parent && !(failing_only && !fails);
        }));
  }
  int InFlight(NodeId node) const {
    const auto entry = tree.in_flight.find(node);
    return entry == tree.in_flight.end() ? 0 : entry->second;
  }
  bool Eligible(const NodeSummary& node) const {
    if (!IsExpandable(node)) return false;
    const int children = Children(node.id, false);
    const int failing = Children(node.id, true);
    if (children > rule.max_failing_children && failing == children) {
      return false;
    }
    return node.id != kRootNode ||
           children + InFlight(node.id) < rule.max_root_children;
  }
  template <class Predicate>
  std::vector<NodeId> Where(Predicate predicate) const {
    std::vector<NodeId> found;
    for (const NodeSummary& node : tree.nodes) {
      if (predicate(node)) found.push_back(node.id);
    }
    return found;
  }
  std::vector<NodeId> AllEligible() const {
    return Where([&](const NodeSummary& node) { return Eligible(node); });
  }
  std::vector<NodeId> Leaves() const {
    return Where([&](const NodeSummary& node) {
      return Eligible(node) && Children(node.id, false) == 0 &&
             InFlight(node.id) == 0;
    });
  }
  std::vector<NodeId> Failing() const {
    return Where([&](const NodeSummary& node) {
      return Eligible(node) && !Passes(node);
    });
  }
  std::optional<NodeId> Best() const {
    std::optional<NodeId> best;
    double runtime_s = 0;
    for (const NodeSummary& node : tree.nodes) {
      if (!Eligible(node) || !Passes(node)) continue;
      if (best && *node.runtime_s >= runtime_s) continue;
      best = node.id;
      runtime_s = *node.runtime_s;
    }
    return best;
  }
  bool IsWithin(NodeId node, NodeId top) const {
    while (node != top) {
      const auto parent =
          tree.nodes[static_cast<std::size_t>(Index(node))].parent;
      if (!parent) return false;
      node = *parent;
    }
    return true;
  }
  std::vector<NodeId> Leaders(NodeId outside, std::size_t limit) const {
    std::vector<NodeSummary> ranked;
    for (const NodeSummary& node : tree.nodes) {
      if (Passes(node) && node.id != kRootNode && !IsWithin(node.id, outside)) {
        ranked.push_back(node);
      }
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](auto& a, auto& b) {
      return *a.runtime_s < *b.runtime_s;
    });
    std::vector<NodeId> leaders;
    std::set<std::uint64_t> sources;
    for (const NodeSummary& node : ranked) {
      if (leaders.size() < limit && sources.insert(node.kernel_hash).second) {
        leaders.push_back(node.id);
      }
    }
    return leaders;
  }

  NodeId Uniform(const std::vector<NodeId>& nodes, RandomStream& stream) const {
    return nodes[stream.Below(nodes.size())];
  }
  NodeId Exploit(RandomStream& stream) const {
    if (Best()) return *Best();
    return Failing().empty() ? kRootNode : Uniform(Failing(), stream);
  }
  NodeId EpsilonGreedy(const std::vector<NodeId>& explored,
                       RandomStream& stream) const {
    const bool explore = stream.Uniform() < 0.3;
    return explore && !explored.empty() ? Uniform(explored, stream)
                                        : Exploit(stream);
  }
};

// The policies that need no index of their own; each of the others is held to
// a scan in its own test.
constexpr std::string_view kPlain[] = {"stark", "best_of_k", "reflexion",
                                       "greedy", "epsilon_greedy"};

NodeId ScanFor(std::string_view policy, const Scan& scan,
               RandomStream& stream) {
  if (policy == "reflexion") {
    const std::vector<NodeId> candidates = scan.AllEligible();
    return candidates.empty() ? kRootNode : candidates.back();
  }
  if (policy == "greedy") return scan.Exploit(stream);
  if (policy == "epsilon_greedy") {
    return scan.EpsilonGreedy(scan.AllEligible(), stream);
  }
  if (policy == "stark") return scan.EpsilonGreedy(scan.Leaves(), stream);
  return kRootNode;  // best_of_k
}

constexpr int kTrees = 3000;

TEST(OracleTest, IndexesAgreeWithScansOfRandomTrees) {
  RandomStream stream(11, Purpose::kSimulation, 0);
  for (int i = 0; i < kTrees; ++i) {
    const TextTree text = RandomTree(stream);
    const Eligibility rule{.max_root_children = 5, .max_failing_children = 3};
    const Scan scan{text, rule};
    const Tree tree = BuildTree(text, rule);
    ASSERT_EQ(tree.BestEligible(), scan.Best());
    ASSERT_EQ(Labels(tree.Eligible()), Labels(scan.AllEligible()));
    ASSERT_EQ(Labels(tree.EligibleLeaves()), Labels(scan.Leaves()));
    ASSERT_EQ(Labels(tree.EligibleFailing()), Labels(scan.Failing()));
    const NodeId outside{Draw(stream, tree.Size())};
    ASSERT_EQ(Labels(tree.Leaders(outside, 4)),
              Labels(scan.Leaders(outside, 4)));
  }
}

TEST(OracleTest, PoliciesSelectAsScansOfRandomTreesDo) {
  RandomStream stream(12, Purpose::kSimulation, 0);
  for (int i = 0; i < kTrees; ++i) {
    const TextTree text = RandomTree(stream);
    for (const std::string_view name : kPlain) {
      const auto policy = MakePolicy(name);
      ASSERT_TRUE(policy.has_value());
      const Tree tree = BuildTree(text, **policy);
      RandomStream mine(stream.NextU64(), Purpose::kSelect, 0);
      RandomStream theirs = mine;
      ASSERT_EQ(Label((*policy)->Select(tree, mine).node),
                Label(ScanFor(name, {text, (*policy)->Rule()}, theirs)))
          << name;
      // Both took the same number of draws.
      ASSERT_EQ(mine.NextU64(), theirs.NextU64()) << name;
    }
  }
}

// Attempts begin, end and commit in any interleaving; the tree must not tell
// its history apart from a rebuild of its present.
TEST(OracleTest, ATreeGrownUnderAttemptsEqualsOneBuiltAfresh) {
  RandomStream stream(13, Purpose::kSimulation, 0);
  for (int i = 0; i < kTrees / 10; ++i) {
    const TextTree text = RandomTree(stream);
    const Eligibility rule{.max_root_children = 5, .max_failing_children = 3};
    Tree grown(rule);
    for (const NodeSummary& node : text.nodes) {
      if (node.parent) grown.BeginAttempt(*node.parent);
      grown.Add(node);
      if (node.parent) grown.EndAttempt(*node.parent);
      const NodeId abandoned{Draw(stream, grown.Size())};
      grown.BeginAttempt(abandoned);
      grown.EndAttempt(abandoned);
    }
    for (const auto& [node, attempts] : text.in_flight) {
      for (int k = 0; k < attempts; ++k) grown.BeginAttempt(node);
    }
    const Tree fresh = BuildTree(text, rule);
    ASSERT_EQ(Labels(grown.Eligible()), Labels(fresh.Eligible()));
    ASSERT_EQ(Labels(grown.EligibleLeaves()), Labels(fresh.EligibleLeaves()));
    ASSERT_EQ(Labels(grown.EligibleFailing()), Labels(fresh.EligibleFailing()));
    ASSERT_EQ(grown.BestEligible(), fresh.BestEligible());
  }
}

}  // namespace
}  // namespace coppice::search
