#include "agents/window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>

namespace coppice::agents {
namespace {

// A tree as text: one node a line, two spaces of indent a level, its id and,
// if it passes, its runtime in seconds.
class FakeGenealogy final : public Genealogy {
 public:
  explicit FakeGenealogy(const std::string& text) {
    std::vector<NodeId> path;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t depth = line.find_first_not_of(' ') / 2;
      std::istringstream fields(line);
      std::int64_t id = 0;
      double runtime_s = 0;
      fields >> id;
      if (fields >> runtime_s) runtimes_[NodeId{id}] = runtime_s;
      path.resize(depth);
      if (depth > 0) parents_[NodeId{id}] = path.back();
      path.push_back(NodeId{id});
    }
  }

  std::vector<NodeId> Children(NodeId node) const override {
    std::vector<NodeId> children;
    for (const auto& [child, parent] : parents_) {
      if (parent == node) children.push_back(child);
    }
    return children;
  }

  NodeId Parent(NodeId node) const override { return parents_.at(node); }

  std::vector<NodeId> Leaders(NodeId outside, int limit) const override {
    std::vector<NodeId> leaders;
    for (const auto& [node, runtime_s] : runtimes_) {
      if (node != kRootNode && !InSubtree(node, outside)) {
        leaders.push_back(node);
      }
    }
    std::ranges::sort(leaders, {}, [&](NodeId n) { return runtimes_.at(n); });
    if (std::ssize(leaders) > limit) {
      leaders.resize(static_cast<std::size_t>(limit));
    }
    return leaders;
  }

  std::vector<NodeId> OfBoard(NodeId outside, int size) const override {
    std::vector<NodeId> board;
    for (const auto& [node, runtime_s] : runtimes_) board.push_back(node);
    std::ranges::sort(board, {}, [&](NodeId n) { return runtimes_.at(n); });
    if (std::ssize(board) > size) board.resize(static_cast<std::size_t>(size));
    std::erase_if(board, [&](NodeId node) {
      return node == kRootNode || InSubtree(node, outside);
    });
    return board;
  }

 private:
  bool InSubtree(NodeId node, NodeId top) const {
    while (node != top && node != kRootNode) node = parents_.at(node);
    return node == top;
  }

  std::map<NodeId, NodeId> parents_;
  std::map<NodeId, double> runtimes_;
};

// "1 selected, 0 root, 4 child, (5 child)": in brackets what was cut.
std::string Text(const Window& window) {
  std::string text;
  for (const WindowEntry& entry : window) {
    if (!text.empty()) text += ", ";
    const std::string item = std::to_string(Index(entry.node)) + " " +
                             std::string(Name(entry.kinship));
    text += entry.shown ? item : "(" + item + ")";
  }
  return text;
}

RandomStream Stream(std::uint64_t index) {
  return RandomStream(7, Purpose::kPlanWindow, index);
}

std::string Build(Role role, std::int64_t selected, const FakeGenealogy& tree,
                  const WindowOptions& options = {}) {
  RandomStream stream = Stream(0);
  return Text(BuildWindow(role, NodeId{selected}, tree, options, stream));
}

const FakeGenealogy& Family() {
  static const FakeGenealogy tree(
      "0 8.0\n"
      "  1 4.0\n"
      "    4 3.0\n"
      "      9 0.5\n"
      "    7\n"
      "  2 2.0\n"
      "    6 1.0\n"
      "    8 1.5\n"
      "  3\n"
      "    5 6.0\n");
  return tree;
}

// Fastest outside the subtree of 1 (that is 1, 4, 7, 9): 6 at 1.0, 8 at 1.5.
// Node 9 is the fastest of all, but of 1's own line.
TEST(WindowTest, PlanSeesChildrenAndLeadersOutsideItsSubtree) {
  EXPECT_EQ(Build(Role::kPlan, 1, Family()),
            "1 selected, 0 root, 4 child, 7 child, 6 leader, 8 leader");
}

TEST(WindowTest, LeaderboardSizeIsR) {
  EXPECT_EQ(Build(Role::kPlan, 1, Family(), {.leaders = 3}),
            "1 selected, 0 root, 4 child, 7 child, 6 leader, 8 leader, "
            "2 leader");
  EXPECT_EQ(Build(Role::kPlan, 1, Family(), {.leaders = 0}),
            "1 selected, 0 root, 4 child, 7 child");
}

// Siblings of 1 are 2 and 3; their children 6, 8 and 5, in commit order.
TEST(WindowTest, CodeSeesChildrenAndChildrenOfSiblings) {
  EXPECT_EQ(Build(Role::kCode, 1, Family()),
            "1 selected, 0 root, 4 child, 7 child, 5 nephew, 6 nephew, "
            "8 nephew");
}

TEST(WindowTest, DebugSeesSiblingsWithoutItself) {
  EXPECT_EQ(Build(Role::kDebug, 7, Family()), "7 selected, 0 root, 4 sibling");
  EXPECT_EQ(Build(Role::kDebug, 3, Family()),
            "3 selected, 0 root, 1 sibling, 2 sibling");
}

// Everything is in the root's subtree, so it has no leaders, siblings or
// nephews, and it is named once.
TEST(WindowTest, TheRootHasOnlyItsChildren) {
  EXPECT_EQ(Build(Role::kPlan, 0, Family()),
            "0 selected, 1 child, 2 child, 3 child");
  EXPECT_EQ(Build(Role::kCode, 0, Family()),
            "0 selected, 1 child, 2 child, 3 child");
  EXPECT_EQ(Build(Role::kDebug, 0, Family()), "0 selected");
}

TEST(WindowTest, ALoneRootIsItsWholeWindow) {
  const FakeGenealogy tree("0 1.0\n");
  EXPECT_EQ(Build(Role::kPlan, 0, tree), "0 selected");
}

// A genealogy whose leaders include a child of the selected node: the child's
// claim comes first, and the root is never repeated.
TEST(WindowTest, ANodeBelongsToTheFirstGroupThatClaimsIt) {
  class Overlapping final : public Genealogy {
   public:
    std::vector<NodeId> Children(NodeId) const override {
      return {NodeId{2}, NodeId{3}};
    }
    NodeId Parent(NodeId) const override { return kRootNode; }
    std::vector<NodeId> Leaders(NodeId, int) const override {
      return {NodeId{3}, NodeId{0}, NodeId{4}, NodeId{1}};
    }
    std::vector<NodeId> OfBoard(NodeId, int) const override { return {}; }
  };
  RandomStream stream = Stream(0);
  EXPECT_EQ(
      Text(BuildWindow(Role::kPlan, NodeId{1}, Overlapping(), {}, stream)),
      "1 selected, 0 root, 2 child, 3 child, 4 leader");
}

TEST(WindowTest, DrawsNothingWhenNothingIsCut) {
  RandomStream stream = Stream(0);
  RandomStream untouched = Stream(0);
  BuildWindow(Role::kCode, NodeId{1}, Family(), {.max_history = 5}, stream);
  EXPECT_EQ(stream.NextU64(), untouched.NextU64());
}

TEST(WindowTest, TheCapKeepsOrderAndListsWhatWasCut) {
  RandomStream stream = Stream(3);
  const Window window =
      BuildWindow(Role::kCode, NodeId{1}, Family(), {.max_history = 2}, stream);
  ASSERT_EQ(window.size(), 7u);
  EXPECT_TRUE(window[0].shown);
  EXPECT_TRUE(window[1].shown);
  EXPECT_EQ(std::ranges::count(window, true, &WindowEntry::shown), 4);
  Window all = window;
  for (WindowEntry& entry : all) entry.shown = true;
  EXPECT_EQ(Text(all), Build(Role::kCode, 1, Family()));
}

TEST(WindowTest, ACapOfZeroLeavesTheSelectedNodeAndTheRoot) {
  EXPECT_EQ(Build(Role::kDebug, 3, Family(), {.max_history = 0}),
            "3 selected, 0 root, (1 sibling), (2 sibling)");
}

// The best two of all are 9, of 1's own line, and 6.
TEST(WindowTest, TheBoardMayLeaveFewerLeadersThanR) {
  EXPECT_EQ(Build(Role::kPlan, 1, Family(), {.rule = Leaders::kBoard}),
            "1 selected, 0 root, 4 child, 7 child, 6 leader");
}

// 7 nodes belong there.
TEST(WindowTest, ACapOfAllCountsTheSelectedNodeAndTheRoot) {
  const auto shown = [](int cap, std::int64_t selected) {
    RandomStream stream = Stream(0);
    const Window window =
        BuildWindow(Role::kCode, NodeId{selected}, Family(),
                    {.max_history = cap, .cap = Cap::kAll}, stream);
    EXPECT_TRUE(window[0].shown && (selected == 0 || window[1].shown));
    return std::ranges::count(window, true, &WindowEntry::shown);
  };
  EXPECT_EQ(shown(5, 1), 5);
  EXPECT_EQ(shown(7, 1), 7);
  EXPECT_EQ(shown(1, 1), 2);  // These two are never cut.
  EXPECT_EQ(shown(3, 0), 3);  // The root is one node.
}

TEST(WindowTest, EqualStreamsGiveEqualWindows) {
  EXPECT_EQ(Build(Role::kCode, 1, Family(), {.max_history = 2}),
            Build(Role::kCode, 1, Family(), {.max_history = 2}));
}

// 5 nodes, 2 kept: 10 pairs, each expected 600 times in 6000 windows.  The
// variance of a count is 6000 * 0.1 * 0.9 = 540, so 5 deviations are 116.
TEST(WindowTest, EveryPairIsKeptEquallyOften) {
  std::map<std::string, int> counts;
  for (std::uint64_t i = 0; i < 6000; ++i) {
    RandomStream stream = Stream(i);
    Window window = BuildWindow(Role::kCode, NodeId{1}, Family(),
                                {.max_history = 2}, stream);
    std::erase_if(window, [](const WindowEntry& e) { return !e.shown; });
    ++counts[Text(window)];
  }
  EXPECT_EQ(counts.size(), 10u);
  for (const auto& [pair, count] : counts) {
    EXPECT_NEAR(count, 600, 116) << pair;
  }
}

}  // namespace
}  // namespace coppice::agents
