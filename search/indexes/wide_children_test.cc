#include "search/indexes/wide_children.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "search/random_tree.h"
#include "search/text_tree.h"

namespace coppice::search {
namespace {

using Crowd = std::set<NodeId>;

// Tells WideChildren of every node, as an index does.
class CrowdIndex final : public TreeIndex {
 public:
  void OnAdd(const Tree& tree, NodeId node) override {
    if (node == kRootNode) return;
    crowds.Welcome(tree, node, [this](Crowd& crowd, NodeId member) {
      welcomed_twice += crowd.insert(member).second ? 0 : 1;
    });
  }
  void OnFlight(const Tree&, NodeId) override {}

  WideChildren<Crowd> crowds;
  int welcomed_twice = 0;
};

// A root with so many children, of which every fifth holds no candidate.
std::string Brood(int children) {
  std::string text = "n0 10ms\n";
  for (int i = 1; i <= children; ++i) {
    text += "  n" + std::to_string(i) + (i % 5 == 0 ? " none\n" : " 8ms\n");
  }
  return text;
}

Tree WithCrowds(const std::string& text) {
  return BuildTree(ParseTree(text), std::make_unique<CrowdIndex>());
}

const WideChildren<Crowd>& CrowdsOf(const Tree& tree) {
  return static_cast<const CrowdIndex&>(*tree.index()).crowds;
}

TEST(WideChildrenTest, SixteenAreFewAndSeventeenACrowd) {
  EXPECT_EQ(CrowdsOf(WithCrowds("n0 10ms\n")).Below(kRootNode), nullptr);
  EXPECT_EQ(CrowdsOf(WithCrowds(Brood(16))).Below(kRootNode), nullptr);
  const Tree tree = WithCrowds(Brood(17));
  const Crowd* crowd = CrowdsOf(tree).Below(kRootNode);
  ASSERT_NE(crowd, nullptr);
  // All but n5, n10 and n15, which hold no candidate.
  EXPECT_EQ(crowd->size(), 14u);
  EXPECT_FALSE(crowd->contains(NodeId{5}));
  EXPECT_TRUE(crowd->contains(NodeId{1}));
  EXPECT_TRUE(crowd->contains(NodeId{17}));
}

TEST(WideChildrenTest, LaterChildrenJoinIfTheyHoldACandidate) {
  const Tree tree = WithCrowds(Brood(20));
  EXPECT_EQ(CrowdsOf(tree).Below(kRootNode)->size(), 16u);
  EXPECT_TRUE(CrowdsOf(tree).Below(kRootNode)->contains(NodeId{19}));
  EXPECT_FALSE(CrowdsOf(tree).Below(kRootNode)->contains(NodeId{20}));
}

// A search of it finds nothing; without a crowd it would compare all children.
TEST(WideChildrenTest, ACrowdWithoutMembersIsStillOne) {
  std::string text = "n0 10ms\n";
  for (int i = 1; i <= 17; ++i) text += "  n" + std::to_string(i) + " none\n";
  const Tree tree = WithCrowds(text);
  ASSERT_NE(CrowdsOf(tree).Below(kRootNode), nullptr);
  EXPECT_TRUE(CrowdsOf(tree).Below(kRootNode)->empty());
}

TEST(WideChildrenTest, OnlyAMemberIsAround) {
  const Tree tree = WithCrowds(Brood(17) + "    n18 8ms\n");
  WideChildren<Crowd> crowds = CrowdsOf(tree);
  EXPECT_EQ(crowds.Around(tree, kRootNode), nullptr);
  EXPECT_EQ(crowds.Around(tree, NodeId{5}), nullptr);   // No candidate.
  EXPECT_EQ(crowds.Around(tree, NodeId{18}), nullptr);  // One of few.
  EXPECT_EQ(crowds.Around(tree, NodeId{17}), crowds.Below(kRootNode));
  EXPECT_EQ(crowds.Below(NodeId{17}), nullptr);
}

// In trees that grow by turns: each crowd is its node's eligible children.
TEST(WideChildrenTest, ACrowdIsAllChildrenThatHoldACandidate) {
  RandomStream stream(5, Purpose::kSimulation, 0);
  int seen = 0;
  for (int i = 0; i < 300; ++i) {
    const TextTree text = BushyTree(stream);
    const Tree tree = GrowTree(text, std::make_unique<CrowdIndex>(), stream);
    const auto& index = static_cast<const CrowdIndex&>(*tree.index());
    EXPECT_EQ(index.welcomed_twice, 0);
    for (const NodeSummary& node : text.nodes) {
      const Crowd* crowd = index.crowds.Below(node.id);
      ASSERT_EQ(crowd != nullptr, tree.ChildCount(node.id) > 16);
      if (crowd == nullptr) continue;
      ++seen;
      Crowd scanned;
      for (const NodeId child : tree.Children(node.id)) {
        if (IsExpandable(tree.Node(child))) scanned.insert(child);
      }
      ASSERT_EQ(*crowd, scanned) << i;
    }
  }
  EXPECT_GT(seen, 100);
}

}  // namespace
}  // namespace coppice::search
