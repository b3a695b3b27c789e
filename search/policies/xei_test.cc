#include "search/policies/xei.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

#include "search/lineage.h"
#include "search/random_tree.h"
#include "search/text_tree.h"
#include "store/records/hint.h"

namespace coppice::search {
namespace {

std::unique_ptr<Policy> Undrafted() { return MakeXei({.drafts = 0}); }

TEST(XeiTest, FirstHopsComeFirstAndThoseInFlightCount) {
  const auto xei = MakeXei();
  EXPECT_EQ(PickWithReason(*xei, "n0 10ms\n"), "n0: draft: first hop 1 of 3");
  EXPECT_EQ(PickWithReason(*xei, "n0 10ms +1\n  n1 5ms\n"),
            "n0: draft: first hop 3 of 3");
  EXPECT_EQ(Pick(*xei, "n0 10ms +2\n  n1 5ms\n"), "n1");
}

// No counts: alpha 0.25, lambda 0.2.  n1 is the best, so it is worth
// E lambda = 0.25 * 0.2 = 0.05; with an attempt in flight E is 2.5 / 11, so
// 0.0455.  The root: P = 2.5 / 4, V = 0.6 * 0.05 (exp(-4.33) + ...) + 0.05 over
// 3 + 1 = 0.0126: 0.0079.
TEST(XeiTest, AnEditOfTheBestIsWorthTheChanceTimesTheMeanGain) {
  EXPECT_EQ(PickWithReason(*Undrafted(), "n0 10ms\n  n1 5ms\n"),
            "n1: edit: expected gain 0.05 in log speedup, 0 of 0 improved");
  EXPECT_EQ(PickWithReason(*Undrafted(), "n0 10ms\n  n1 5ms +1\n"),
            "n1: edit: expected gain 0.0455 in log speedup, 0 of 1 improved");
}

// n2 improved on n1 by ln(8/4) = 0.693: alpha (1 + 1) / (4 + 1) = 0.4, lambda
// (0.4 + 0.693) / 3 = 0.364.  n2: 0.4 * 0.364 = 0.146.  n1: (4 + 1) / 11 =
// 0.455, but exp(-0.693 / 0.182) = 0.022.
TEST(XeiTest, CountsOfTheCampaignMoveTheChanceAndTheGain) {
  EXPECT_EQ(PickWithReason(*Undrafted(),
                           "n0 10ms\n"
                           "  n1 8ms\n"
                           "    n2 4ms\n"),
            "n2: edit: expected gain 0.146 in log speedup, 0 of 0 improved");
}

// One failing edit: alpha 1/5, E = (0.2 * 10) / 11 = 0.1818: 0.0364.  Two:
// alpha 1/6, E = 1.667 / 12 = 0.1389: 0.0278.  The repair of one: R_0 = 0.4 *
// 0.25 / 0.6 = 0.1667: 0.0333.
TEST(XeiTest, RepairsAFailingEditOnceEditsPromiseLess) {
  const std::string one =
      "n0 10ms\n"
      "  n1 5ms\n"
      "    n2 failed\n";
  EXPECT_EQ(PickWithReason(*Undrafted(), one),
            "n1: edit: expected gain 0.0364 in log speedup, 0 of 1 improved");
  EXPECT_EQ(PickWithReason(*Undrafted(), one + "    n3 failed\n"),
            "n2: repair: expected gain 0.0333 in log speedup");
}

// As above, and the repair of n2 failed: R_0 = 0.667 / 5: 0.0267 (n3); R_1 =
// 0.7 * 0.1667: 0.0233 (n4); n2 has a child.  n1 is back at 0.0278.
TEST(XeiTest, ARepairThatFailsCountsAgainstRepairs) {
  EXPECT_EQ(PickWithReason(*Undrafted(),
                           "n0 10ms\n"
                           "  n1 5ms\n"
                           "    n2 failed\n"
                           "      n4 failed\n"
                           "    n3 failed\n"),
            "n1: edit: expected gain 0.0278 in log speedup, 0 of 2 improved");
}

// Nothing passes, so m* = -0.3 - 0.4.  V, at -0.86, -0.58, -0.3, -0.02, 0.26:
// (0.0101 + 0.17 + 0.45 + 0.73 + 1.01) / 5 = 0.474.  The root: P = 1.5 / 4; the
// repair of n1: 0.4, so 0.19.
TEST(XeiTest, RepairsAFailingFirstHopForWhatAFirstHopIsWorth) {
  EXPECT_EQ(PickWithReason(*Undrafted(), "n0 10ms\n  n1 failed\n"),
            "n1: repair: expected gain 0.19 in log speedup");
  // Its repair failed: P_0 = 1.2 / 4 is of the past; n2: P_1 = 0.28 is below
  // the root's 0.375.
  EXPECT_EQ(PickWithReason(*Undrafted(),
                           "n0 10ms\n"
                           "  n1 failed\n"
                           "    n2 failed\n"),
            "n0: first hop: expected gain 0.178 in log speedup");
}

// n1 and n2 are level at 17 and 16 attempts, which both count as 16, and not at
// 17 and 15.
TEST(XeiTest, ManyChildrenAreCountedCoarsely) {
  EXPECT_EQ(Pick(*Undrafted(), "n0 10ms\n  n1 5ms +17\n  n2 5ms +16\n"), "n1");
  EXPECT_EQ(Pick(*Undrafted(), "n0 10ms\n  n1 5ms +17\n  n2 5ms +15\n"), "n2");
}

TEST(XeiTest, OfEqualsTheLowestIdIsSelected) {
  EXPECT_EQ(Pick(*Undrafted(), "n0 10ms\n  n1 5ms\n  n2 5ms\n"), "n1");
  EXPECT_EQ(Pick(*Undrafted(), "n0 10ms\n  n1 5ms +1\n  n2 5ms\n"), "n2");
}

TEST(XeiTest, WithoutAnyCandidateItIsTheRoot) {
  EXPECT_EQ(Pick(*MakeXei(),
                 "n0 10ms\n"
                 "  n1 none\n"
                 "  n2 none\n"
                 "  n3 none\n"),
            "n0");
}

// m* = ln(10/200) = -3: a first hop is worth V = 2 or so, the edit of n2 at
// most lambda.  Root and repair so go by their draws: Beta(2.5, 2.5) and
// Beta(1.5, 1.5) are both symmetric, and win half of the time each; both are
// below 0.1 in 0.3 % of all cases.  The standard deviation over 2,000 is 22.
TEST(XeiTest, ThompsonDrawsItsChances) {
  const auto xei_ts = MakeXeiTs({.repair_chance = 0.5, .drafts = 0});
  auto counts = PickOften(*xei_ts,
                          "n0 10ms\n"
                          "  n1 failed\n"
                          "  n2 200ms\n",
                          2000);
  EXPECT_NEAR(counts["n0"], 1000, 112);
  EXPECT_NEAR(counts["n1"], 1000, 112);
}

// The incumbent, n1, is two attempts old, one more than it may be.
constexpr std::string_view kStale =
    "n0 10ms\n"
    "  n1 5ms\n"
    "  n2 8ms\n"
    "    n3 failed\n";

std::unique_ptr<Policy> Leaving(LeaveOptions leave) {
  leave.stagnation = 1;
  leave.leave_cap = 1.0;
  return MakeXeiB({.drafts = 0}, leave);
}

// The branch of n2: bests 0.693 and 0.223, deviation 0.235; 0.223 + 1.5 * 0.235
// sqrt(ln 5 / 3) = 0.481.  In it n3 is worth -3 + 2.23, n2 ln(2.5 / 11) + 2.23.
TEST(XeiTest, LeavesAStaleIncumbentForTheBestOfAnotherBranch) {
  EXPECT_EQ(PickWithReason(*Leaving({.widening = 0.5}), kStale),
            "n2: leave the incumbent, 2 attempts old: its branch may reach "
            "0.481");
}

TEST(XeiTest, WidensTheRootFirst) {
  EXPECT_EQ(PickWithReason(*Leaving({.widening = 1.1}), kStale),
            "n0: leave the incumbent, 2 attempts old: the root has 2 children");
  EXPECT_EQ(Pick(*Leaving({.widening = 1.0}), kStale), "n2");  // 2 sqrt(4) / 2.
}

TEST(XeiTest, LeavesForTheRootIfThereIsNowhereElseToGo) {
  EXPECT_EQ(PickWithReason(*Leaving({.widening = 0.5}),
                           "n0 10ms\n"
                           "  n1 5ms\n"
                           "    n2 failed\n"
                           "    n3 failed\n"),
            "n0: leave the incumbent, 2 attempts old: there is no other "
            "branch");
  EXPECT_EQ(PickWithReason(*Leaving({.widening = 0.5}),
                           "n0 10ms\n"
                           "  n1 5ms\n"
                           "  n2 none\n"
                           "  n3 none\n"),
            "n0: leave the incumbent, 2 attempts old: the best branch is "
            "exhausted");
}

// n3 is faster than n1 by ln(5 / 4.99) = 0.002, which is noise, or by 0.02.
TEST(XeiTest, NoiseDoesNotRenewTheIncumbent) {
  const std::string stale =
      "n0 10ms\n"
      "  n1 5ms\n"
      "  n2 8ms\n";
  EXPECT_EQ(Pick(*Leaving({.widening = 9}), stale + "    n3 4.99ms\n"), "n0");
  EXPECT_EQ(Pick(*Leaving({.widening = 9}), stale + "    n3 4.9ms\n"), "n3");
}

// At an age of 3 with stagnation 2 the chance is (3 - 2) / 2, and the cap.
TEST(XeiTest, LeavesWithAChanceThatGrowsToItsCap) {
  const std::string tree =
      "n0 10ms\n"
      "  n1 5ms\n"
      "  n2 8ms\n"
      "  n3 8ms\n"
      "  n4 8ms\n";
  const auto leaves = [&tree](LeaveOptions leave) {
    leave.widening = 9;
    return PickOften(*MakeXeiB({.drafts = 0}, leave), tree, 2000)["n0"];
  };
  EXPECT_EQ(leaves({.stagnation = 3, .leave_cap = 1.0}), 0);
  EXPECT_NEAR(leaves({.stagnation = 2, .leave_cap = 1.0}), 1000, 112);
  EXPECT_NEAR(leaves({.stagnation = 2, .leave_cap = 0.25}), 500, 97);
}

std::unique_ptr<Policy> UndraftedHint() { return MakeXeiHint({.drafts = 0}); }

// For a first hop 0.16 / (0.16 + 0.04) of the hint is believed: 0.8 ln 4 + 0.2
// * (-0.3) = 1.049. m* = 0.693; at 0.703, 1.049 and 1.395 it is worth 0.06,
// 0.406 and 0.752, of which (0.06 + 4 * 0.406 + 0.752) / 6 = 0.406, times the
// chance of a repair, 0.4: 0.162.  The edit of n1 is worth 0.05.
TEST(XeiTest, RepairsAWrongOneWhoseHintPromisesMore) {
  EXPECT_EQ(PickWithReason(*UndraftedHint(),
                           "n0 10ms\n"
                           "  n1 5ms\n"
                           "  n2 failed ~4x\n"),
            "n2: repair: expected gain 0.162 in log speedup, by a hint of 4x");
  EXPECT_EQ(Pick(*UndraftedHint(),
                 "n0 10ms\n"
                 "  n1 5ms\n"
                 "  n2 failed ~1x\n"),
            "n1");
  // Others do not look at it.
  EXPECT_EQ(Pick(*MakeXeiB({.drafts = 0}),
                 "n0 10ms\n"
                 "  n1 5ms\n"
                 "  n2 failed ~4x\n"),
            "n1");
}

// For an edit of n1 0.09 / (0.09 + 0.04) = 0.692 is believed: n2 is at 0.693 +
// 0.692 * (ln 3 - ln 2) = 0.974, n3 at 0.693 + 0.692 * (ln 4 - ln 2).
TEST(XeiTest, OfTwoHintsTheLargerIsRepairedFirst) {
  EXPECT_EQ(Pick(*UndraftedHint(),
                 "n0 10ms\n"
                 "  n1 5ms\n"
                 "    n2 failed ~3x\n"
                 "    n3 failed ~4x\n"),
            "n3");
}

// As RepairsAFailingFirstHopForWhatAFirstHopIsWorth, where P_0 is 0.4; here it
// is 0.1, and the root's 0.375 is more: 0.375 * 0.474 = 0.178.
TEST(XeiTest, WhatDoesNotCompileIsLessLikelyMended) {
  EXPECT_EQ(PickWithReason(*UndraftedHint(), "n0 10ms\n  n1 failed\n"),
            "n1: repair: expected gain 0.19 in log speedup");
  EXPECT_EQ(PickWithReason(*UndraftedHint(), "n0 10ms\n  n1 compile_failed\n"),
            "n0: first hop: expected gain 0.178 in log speedup");
}

// n2 was to repair n1, which ran at four times the root's speed.  So it is
// worth what n1 was, by a second repair: 0.7 * 0.4 * 0.406 = 0.114, where n1
// itself is 0.162.
TEST(XeiTest, ARepairThatDoesNotCompileIsRepairedForItsHint) {
  EXPECT_EQ(PickWithReason(*UndraftedHint(),
                           "n0 10ms\n"
                           "  n1 failed ~4x\n"
                           "    n2 compile_failed\n"
                           "  n3 5ms\n"),
            "n2: repair: expected gain 0.114 in log speedup, by a hint of 4x");
}

// m* = 0.  The prior's points are -0.3 and 0.7 and 1.4 deviations about it.
// With 40 attempts left the deviation is (0.15 + 0.9) / 2 = 0.525: points up to
// 0.0675 and 0.435, worth 0.1175 and 0.485, and -0.3, worth 0.05 exp(-3).  V =
// (0.6 * 0.605 + 0.05) / 4 = 0.103, the root 0.625 * 0.1032 = 0.0645.  With one
// left it is 0.168, the largest point -0.065 is worth 0.0262, the root 0.0115,
// and the edit of n1 0.05.
TEST(XeiTest, BeginsBranchesWhileThereIsTimeToWorkOnThem) {
  const auto hint =
      MakeXeiHint({.drafts = 0}, {}, {},
                  {.near_spread = 0.15, .far_spread = 0.9, .halfway = 40.0});
  EXPECT_TRUE(hint->LooksAhead());
  Tree tree = BuildTree(ParseTree("n0 10ms\n  n1 10ms\n"), *hint);
  const auto select = [&](std::optional<std::int64_t> left) {
    tree.SetAttemptsLeft(left);
    RandomStream stream(1, Purpose::kSelect, 0);
    const Selection selection = hint->Select(tree, stream);
    return Label(selection.node) + ": " + selection.reason;
  };
  EXPECT_EQ(select(40), "n0: first hop: expected gain 0.0645 in log speedup");
  EXPECT_EQ(select(1),
            "n1: edit: expected gain 0.05 in log speedup, 0 of 0 improved");
  // Nobody said: 0.4, so the root is at 0.0409.
  EXPECT_EQ(select(std::nullopt), select(1));
}

// The mendings of n1 and n4 failed, so that xei believes in repairs by 1.2 / 5
// = 0.24, and in second ones by 0.28; of what runs none has failed yet: 0.4.
TEST(XeiTest, AMendingThatFailsSaysNothingOfOtherRepairs) {
  constexpr std::string_view kTree =
      "n0 10ms\n"
      "  n1 compile_failed\n"
      "    n3 compile_failed\n"
      "  n4 compile_failed\n"
      "    n5 compile_failed\n"
      "  n2 failed\n";
  EXPECT_EQ(Pick(*Undrafted(), kTree), "n3");
  EXPECT_EQ(PickWithReason(*UndraftedHint(), kTree),
            "n2: repair: expected gain 0.19 in log speedup");
}

TEST(XeiTest, WithoutHintsWhereAllCompilesItIsXeiB) {
  RandomStream stream(6, Purpose::kSimulation, 0);
  for (int i = 0; i < 500; ++i) {
    TextTree text = RandomTree(stream);
    for (NodeSummary& node : text.nodes) {
      node.log_hint.reset();
      if (node.verdict == Verdict::kCompileFailed) {
        node.verdict = Verdict::kCrashed;
      }
    }
    const auto seed = static_cast<std::uint64_t>(i);
    RandomStream mine(seed, Purpose::kSelect, 0);
    RandomStream theirs = mine;
    const auto hint = MakeXeiHint();
    const auto without = MakeXeiB();
    ASSERT_EQ(Label(hint->Select(BuildTree(text, *hint), mine).node),
              Label(without->Select(BuildTree(text, *without), theirs).node));
  }
}

// The rule as a scan that computes everything anew from the nodes.
class XeiScan {
 public:
  XeiScan(const Tree& tree, std::string_view name) : tree_(tree), name_(name) {
    Count();
  }

  // Whether two branches of the last selection differed by rounding alone, of
  // sums that the index adds up in another order.  With two proven branches a
  // third, unproven one starts exactly level with the worse.
  bool close() const { return close_; }

  NodeId Select(RandomStream& stream) {
    const int hops = Children(kRootNode);
    if (name_ == "xei_b" || Hints()) {
      if (const auto left = Leave(hops, stream)) return *left;
    }
    if (hops < 3) return kRootNode;
    NodeId best = kRootNode;
    double worth = Draw(1.5 + hop_passes_, 1.5 + hops_ - hop_passes_, stream) +
                   std::log(first_hop_);
    std::map<std::tuple<int, int, int>, double> draws;
    for (const bool draw : {true, false}) {  // Draws go by class, not by node.
      for (std::int64_t i = 1; i < tree_.Size(); ++i) {
        const NodeId node{i};
        if (!Open(node)) continue;
        const auto of = ClassOf(node);
        if (draw) {
          draws[of] = 0.0;
        } else if (draws[of] + Gain(node) > worth) {
          best = node;
          worth = draws[of] + Gain(node);
        }
      }
      if (!draw) break;
      for (auto& [of, drawn] : draws) drawn = DrawClass(of, stream);
    }
    return best;
  }

 private:
  bool Hints() const { return name_ == "xei_hint"; }
  bool Compiles(NodeId node) const {
    return tree_.Node(node).verdict != Verdict::kCompileFailed;
  }
  std::optional<double> Hint(NodeId node) const {
    if (!Hints()) return std::nullopt;
    if (node != kRootNode && !Compiles(node)) node = tree_.Parent(node);
    return tree_.Node(node).log_hint;
  }
  bool Ran(NodeId node) const { return Compiles(node) || Hint(node); }
  bool Good(NodeId node) const { return Passes(tree_, node); }
  double Speed(NodeId node) const { return LogSpeedup(tree_, node); }
  int Children(NodeId node) const {
    return tree_.ChildCount(node) + tree_.InFlight(node);
  }
  int Repair(NodeId node) const {
    int repair = 0;
    while (node != kRootNode && tree_.Parent(node) != kRootNode &&
           !Good(tree_.Parent(node))) {
      ++repair;
      node = tree_.Parent(node);
    }
    return repair;
  }
  NodeId Base(NodeId node) const {
    while (node != kRootNode) {
      node = tree_.Parent(node);
      if (node == kRootNode || Good(node)) break;
    }
    return node;
  }
  bool Improves(NodeId node) const {
    return Good(node) &&
           (!Good(Base(node)) || Speed(node) > Speed(Base(node)) + 0.01);
  }
  static int Coarse(int count) {
    int step = 1;
    while (count >= 16 * step) step *= 2;
    return count - count % step;
  }
  int ImprovingChildren(NodeId node) const {
    int improving = 0;
    for (const NodeId child : tree_.Children(node))
      improving += Improves(child);
    return improving;
  }
  bool Open(NodeId node) const {
    return IsExpandable(tree_.Node(node)) &&
           (Good(node) || Children(node) == 0);
  }

  void Count() {
    double improving = 0, edits = 0, gains = 0;
    for (std::int64_t i = 1; i < tree_.Size(); ++i) {
      const NodeId node{i}, parent = tree_.Parent(node);
      if (Good(node)) best_ = std::max(best_.value_or(-99), Speed(node));
      if (parent == kRootNode) {
        ++hops_;
        hop_passes_ += Good(node);
      } else if (Good(parent)) {
        ++edits;
        improving += Improves(node);
        if (Improves(node)) gains += Speed(node) - Speed(parent);
      } else {
        const auto k = static_cast<std::size_t>(std::min(Repair(parent), 2)) +
                       (Hints() && !Ran(parent) ? 3u : 0u);
        ++tries_[k];
        passes_[k] += Good(node);
        if (Base(parent) == kRootNode) continue;
        ++edit_tries_[k];
        mends_[k] += Improves(node);
      }
    }
    alpha_ = (improving + 1.0) / (edits + 4.0);
    lambda_ = (gains + 0.4) / (improving + 2.0);
    best_ = best_.value_or(-0.7);
    double sum = 0;
    const auto left = static_cast<double>(tree_.AttemptsLeft().value_or(0));
    const double spread = Hints() && tree_.AttemptsLeft()
                              ? 0.15 + 0.55 * left / (left + 40)
                              : 0.4;
    for (const double apart : {-1.4, -0.7, 0.0, 0.7, 1.4}) {
      const double x = -0.3 + spread * apart;
      sum += 0.6 * std::max(x - *best_, 0.0) + 0.6 * Tail(std::min(x, *best_));
    }
    for (const NodeId hop : tree_.Children(kRootNode)) {
      if (Good(hop)) {
        sum += Tail(std::min(0.02 * std::round(Speed(hop) / 0.02), *best_));
      }
    }
    first_hop_ = sum / (3.0 + hop_passes_);
  }
  double Tail(double speed) const {
    return alpha_ * lambda_ * std::exp((speed - *best_) / (0.5 * lambda_));
  }

  std::tuple<int, int, int> ClassOf(NodeId node) const {
    if (Good(node)) {
      return {0, Coarse(Children(node)), Coarse(ImprovingChildren(node))};
    }
    const bool hop = Base(node) == kRootNode;
    const int kind = Hint(node)              ? 5
                     : Hints() && !Ran(node) ? (hop ? 4 : 3)
                                             : (hop ? 2 : 1);
    return {kind, Coarse(Repair(node)), 0};
  }
  // Three points of the belief about a hinted one: 0.2 to either side, times
  // the root of 3.  Four fifths of a first hop's hint are believed, and 9 of 13
  // parts of an edit's.
  double HintedGain(NodeId node, double hint) const {
    const bool hop = Base(node) == kRootNode;
    const double trust = hop ? 0.4 * 0.4 / (0.4 * 0.4 + 0.2 * 0.2)
                             : 0.3 * 0.3 / (0.3 * 0.3 + 0.2 * 0.2);
    const double speed = std::lerp(hop ? -0.3 : Speed(Base(node)), hint, trust);
    const double apart = std::sqrt(3.0) * 0.2;
    const auto reach = [&](double x) {
      return std::max(x - *best_, 0.0) + Tail(std::min(x, *best_));
    };
    return std::log(std::max(
        (reach(speed - apart) + 4.0 * reach(speed) + reach(speed + apart)) /
            6.0,
        std::numeric_limits<double>::min()));
  }
  double Gain(NodeId node) const {
    if (const auto hint = Hint(node)) return HintedGain(node, *hint);
    if (!Good(node) && Base(node) == kRootNode) return std::log(first_hop_);
    const double speed = Speed(Good(node) ? node : Base(node));
    return std::log(lambda_) + (speed - *best_) / (0.5 * lambda_);
  }
  double DrawClass(const std::tuple<int, int, int>& of,
                   RandomStream& stream) const {
    const auto [kind, n, b] = of;
    if (kind == 0) {
      return Draw(10 * alpha_ + b, 10 * (1 - alpha_) + n - b, stream);
    }
    constexpr double kFactors[] = {1.0, 0.7, 0.4};
    const auto k = static_cast<std::size_t>(std::min(n, 2));
    const double weary = std::log(1.0 + 0.5 * std::max(0, n - 2));
    const bool mends = kind == 3 || kind == 4;
    const bool edits = kind == 1 || kind == 3;
    const double prior =
        (mends ? 0.1 : 0.4) * kFactors[k] * (edits ? 0.25 / 0.6 : 1.0);
    const double weight = edits ? 4.0 : 3.0;
    const auto at = k + (mends ? 3u : 0u);
    const double hits = edits ? mends_[at] : passes_[at];
    const double tries = edits ? edit_tries_[at] : tries_[at];
    return Draw(prior * weight + hits, (1 - prior) * weight + tries - hits,
                stream) -
           weary;
  }
  double Draw(double hits, double misses, RandomStream& stream) const {
    return std::log(std::max(1e-12, name_ == "xei_ts"
                                        ? stream.Beta(hits, misses)
                                        : hits / (hits + misses)));
  }

  NodeId Branch(NodeId node) const {
    while (tree_.Parent(node) != kRootNode) node = tree_.Parent(node);
    return node;
  }

  std::optional<NodeId> Leave(int hops, RandomStream& stream) {
    std::optional<NodeId> incumbent;
    for (std::int64_t i = 1; i < tree_.Size(); ++i) {
      const NodeId node{i};
      if (!Good(node)) continue;
      if (!incumbent || Speed(node) > Speed(*incumbent) + 0.01)
        incumbent = node;
    }
    if (!incumbent) return std::nullopt;
    const auto late =
        static_cast<double>(tree_.Size() - 1 - Index(*incumbent) - 20);
    if (late <= 0 || stream.Uniform() >= std::min(0.5, late / 20)) {
      return std::nullopt;
    }
    const auto n = static_cast<double>(tree_.Size());
    if (hops < 0.5 * std::sqrt(n)) return kRootNode;
    std::map<NodeId, std::pair<double, double>> branches;  // Visits, best.
    for (const NodeId hop : tree_.Children(kRootNode)) branches[hop] = {0, -99};
    for (std::int64_t i = 1; i < tree_.Size(); ++i) {
      auto& [visits, best] = branches[Branch(NodeId{i})];
      visits += 1 + tree_.InFlight(NodeId{i});
      if (Good(NodeId{i})) best = std::max(best, Speed(NodeId{i}));
    }
    double count = 0, sum = 0, squares = 0;
    for (const auto& [hop, state] : branches) {
      if (state.second == -99) continue;
      ++count, sum += state.second, squares += state.second * state.second;
    }
    const double mean = count > 0 ? sum / count : 0;
    const double deviation =
        count > 1 ? std::sqrt(std::max(squares / count - mean * mean, 1e-4))
                  : 0.2;
    std::optional<NodeId> branch;
    double bound = 0;
    for (const auto& [hop, state] : branches) {
      if (hop == Branch(*incumbent)) continue;
      const double value =
          (state.second == -99 ? mean - deviation : state.second) +
          1.5 * deviation * std::sqrt(std::log(1 + n) / (1 + state.first));
      if (branch && value != bound && std::abs(value - bound) < 1e-9) {
        close_ = true;
      }
      if (!branch || value > bound) branch = hop, bound = value;
    }
    if (!branch) return kRootNode;
    NodeId best = kRootNode;
    double worth = -std::numeric_limits<double>::infinity();
    for (std::int64_t i = 1; i < tree_.Size(); ++i) {
      const NodeId node{i};
      if (!Open(node) || Branch(node) != *branch) continue;
      const double value =
          Good(node)
              ? std::log((2.5 + ImprovingChildren(node)) /
                         (10.0 + Children(node))) +
                    Speed(node) / 0.1
              : -3.0 - 0.7 * Repair(node) +
                    (Base(node) == kRootNode ? -20.0 : Speed(Base(node)) / 0.1);
      if (value > worth) best = node, worth = value;
    }
    return best;
  }

  const Tree& tree_;
  std::string_view name_;
  double hops_ = 0, hop_passes_ = 0;
  // By repairs in a row; xei_hint has those of what does not compile behind.
  std::array<double, 6> tries_{}, passes_{}, edit_tries_{}, mends_{};
  double alpha_ = 0, lambda_ = 0, first_hop_ = 0;
  std::optional<double> best_;
  bool close_ = false;
};

TEST(XeiTest, SelectsAsAScanOfRandomTreesDoes) {
  RandomStream stream(5, Purpose::kSimulation, 0);
  int close = 0;
  for (int i = 0; i < 3000; ++i) {
    const TextTree text = RandomTree(stream);
    for (const std::string_view name : {"xei", "xei_b", "xei_ts", "xei_hint"}) {
      const auto policy = MakePolicy(name);
      ASSERT_TRUE(policy.has_value());
      Tree tree = BuildTree(text, **policy);
      if (i % 3 != 0) tree.SetAttemptsLeft(1 + i % 200);
      RandomStream mine(stream.NextU64(), Purpose::kSelect, 0);
      RandomStream theirs = mine;
      XeiScan scan(tree, name);
      const NodeId expected = scan.Select(theirs);
      const NodeId selected = (*policy)->Select(tree, mine).node;
      if (scan.close()) {
        ++close;
        continue;
      }
      ASSERT_EQ(Label(selected), Label(expected)) << name << ", tree " << i;
    }
  }
  EXPECT_LT(close, 30);
}

}  // namespace
}  // namespace coppice::search
