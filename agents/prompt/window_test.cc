#include "agents/prompt/window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>

#include "store/records/random.h"

namespace coppice::agents {
namespace {

// A tree as text: one node a line, two spaces of indent a level, its id and,
// if it passes, its runtime in seconds.
class FakeRelatives final : public FamilyTree {
 public:
  explicit FakeRelatives(const std::string& text) {
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

  std::int64_t CountRelatives(Kinship kinship, NodeId of) const override {
    return std::ssize(Relatives(kinship, of));
  }

  std::vector<NodeId> RelativesAt(
      Kinship kinship, NodeId of,
      const std::vector<std::int64_t>& places) const override {
    const std::vector<NodeId> relatives = Relatives(kinship, of);
    std::vector<NodeId> nodes;
    for (const std::int64_t place : places) {
      nodes.push_back(relatives.at(static_cast<std::size_t>(place)));
    }
    asked_ += nodes.size();
    return nodes;
  }

  std::int64_t CountPassing(Kinship, NodeId, std::int64_t) const override {
    return 0;  // No window needs it.
  }

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

  std::vector<NodeId> LeadersAmong(NodeId outside, int size) const override {
    std::vector<NodeId> board;
    for (const auto& [node, runtime_s] : runtimes_) board.push_back(node);
    std::ranges::sort(board, {}, [&](NodeId n) { return runtimes_.at(n); });
    if (std::ssize(board) > size) board.resize(static_cast<std::size_t>(size));
    std::erase_if(board, [&](NodeId node) {
      return node == kRootNode || InSubtree(node, outside);
    });
    return board;
  }

  // Relatives that were asked for by their place.
  std::size_t asked() const { return asked_; }

 private:
  // Each node of which that holds, in commit order.
  std::vector<NodeId> Relatives(Kinship kinship, NodeId of) const {
    const auto parent_of = [this](NodeId node) {
      const auto at = parents_.find(node);
      return at == parents_.end() ? std::optional<NodeId>() : at->second;
    };
    std::vector<NodeId> relatives;
    for (const auto& [node, parent] : parents_) {
      const bool is_sibling = node != of && parent == parent_of(of);
      const bool is_nephew = parent != of && parent != kRootNode &&
                             parent_of(parent) == parent_of(of);
      if (kinship == Kinship::kChild     ? parent == of
          : kinship == Kinship::kSibling ? is_sibling
                                         : is_nephew) {
        relatives.push_back(node);
      }
    }
    return relatives;
  }

  bool InSubtree(NodeId node, NodeId top) const {
    while (node != top && node != kRootNode) node = parents_.at(node);
    return node == top;
  }

  std::map<NodeId, NodeId> parents_;
  std::map<NodeId, double> runtimes_;
  mutable std::size_t asked_ = 0;
};

// "1 selected, 0 root, 4 child; cut: 5 to 7 child, 8 leader".
std::string Text(const Window& window) {
  std::string text;
  const auto add = [&text](const std::string& nodes, Kinship kinship) {
    text += (text.empty() || text.ends_with("cut: ") ? "" : ", ") + nodes +
            " " + std::string(Name(kinship));
  };
  for (const WindowEntry& entry : window.shown) {
    add(std::to_string(Index(entry.node)), entry.kinship);
  }
  if (!window.cut.empty()) text += "; cut: ";
  for (const WindowCut& run : window.cut) {
    const std::string first = std::to_string(Index(run.first));
    add(run.nodes == 1 ? first
                       : first + " to " + std::to_string(Index(run.last)),
        run.kinship);
  }
  return text;
}

RandomStream Stream(std::uint64_t index) {
  return RandomStream(7, Purpose::kPlanWindow, index);
}

std::string Build(Role role, std::int64_t selected, const FakeRelatives& tree,
                  const WindowOptions& options = {},
                  std::optional<NodeId> mate = std::nullopt) {
  RandomStream stream = Stream(0);
  return Text(BuildWindow(role, NodeId{selected}, tree, options, stream, mate));
}

const FakeRelatives& Family() {
  static const FakeRelatives tree(
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

// 6 would be a leader, and 4 a child; the root is shown anyway.
TEST(WindowTest, WhatItIsCombinedWithIsShownOnceAndNeverCut) {
  EXPECT_EQ(Build(Role::kPlan, 1, Family(), {}, NodeId{6}),
            "1 selected, 0 root, 6 mate, 4 child, 7 child, 8 leader");
  EXPECT_EQ(Build(Role::kCode, 1, Family(), {.max_history = 0}, NodeId{4}),
            "1 selected, 0 root, 4 mate; cut: 4 to 7 child, 5 to 8 nephew");
  EXPECT_EQ(Build(Role::kPlan, 1, Family(), {.leaders = 0}, NodeId{0}),
            "1 selected, 0 root, 4 child, 7 child");
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
  const FakeRelatives tree("0 1.0\n");
  EXPECT_EQ(Build(Role::kPlan, 0, tree), "0 selected");
}

TEST(WindowTest, DrawsNothingWhenNothingIsCut) {
  RandomStream stream = Stream(0);
  RandomStream untouched = Stream(0);
  BuildWindow(Role::kCode, NodeId{1}, Family(), {.max_history = 5}, stream);
  EXPECT_EQ(stream.NextU64(), untouched.NextU64());
}

// Children 4 and 7 and nephews 5, 6 and 8 belong there, of which two are shown.
TEST(WindowTest, TheCapKeepsOrderAndTellsWhatWasCut) {
  const std::set<std::string> all = {
      "4 child, 7 child; cut: 5 to 8 nephew",
      "4 child, 5 nephew; cut: 7 child, 6 to 8 nephew",
      "4 child, 6 nephew; cut: 7 child, 5 nephew, 8 nephew",
      "4 child, 8 nephew; cut: 7 child, 5 to 6 nephew",
      "7 child, 5 nephew; cut: 4 child, 6 to 8 nephew",
      "7 child, 6 nephew; cut: 4 child, 5 nephew, 8 nephew",
      "7 child, 8 nephew; cut: 4 child, 5 to 6 nephew",
      "5 nephew, 6 nephew; cut: 4 to 7 child, 8 nephew",
      "5 nephew, 8 nephew; cut: 4 to 7 child, 6 nephew",
      "6 nephew, 8 nephew; cut: 4 to 7 child, 5 nephew"};
  std::set<std::string> seen;
  for (std::uint64_t i = 0; i < 200; ++i) {
    RandomStream stream = Stream(i);
    const Window window = BuildWindow(Role::kCode, NodeId{1}, Family(),
                                      {.max_history = 2}, stream);
    EXPECT_EQ(window.NodesCut(), 3);
    const std::string text = Text(window);
    const std::string fixed = "1 selected, 0 root, ";
    ASSERT_TRUE(text.starts_with(fixed)) << text;
    seen.insert(text.substr(fixed.size()));
  }
  EXPECT_EQ(seen, all);
}

TEST(WindowTest, ACapOfZeroLeavesTheSelectedNodeAndTheRoot) {
  EXPECT_EQ(Build(Role::kDebug, 3, Family(), {.max_history = 0}),
            "3 selected, 0 root; cut: 1 to 2 sibling");
}

TEST(WindowTest, EachLeaderThatWasCutIsToldByItself) {
  EXPECT_EQ(Build(Role::kPlan, 1, Family(), {.max_history = 0}),
            "1 selected, 0 root; cut: 4 to 7 child, 6 leader, 8 leader");
}

// Five of 1,000 children are shown; there are six runs at most.
TEST(WindowTest, OnlyWhatIsShownAndTheEndsOfRunsAreAskedFor) {
  std::string text = "0 8.0\n";
  for (int i = 1; i <= 1000; ++i) text += "  " + std::to_string(i) + "\n";
  const FakeRelatives tree(text);
  RandomStream stream = Stream(0);
  const Window window = BuildWindow(Role::kPlan, kRootNode, tree, {}, stream);
  EXPECT_EQ(window.shown.size(), 6u);
  EXPECT_EQ(window.NodesCut(), 995);
  EXPECT_LE(tree.asked(), 5u + 2 * 6);
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
                    {.max_history = cap, .cap = WindowCap::kAll}, stream);
    return std::ssize(window.shown);
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
    window.cut.clear();
    ++counts[Text(window)];
  }
  EXPECT_EQ(counts.size(), 10u);
  for (const auto& [pair, count] : counts) {
    EXPECT_NEAR(count, 600, 116) << pair;
  }
}

}  // namespace
}  // namespace coppice::agents
