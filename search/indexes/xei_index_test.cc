#include "search/indexes/xei_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "search/random_tree.h"
#include "search/text_tree.h"
#include "search/tree_scan.h"

namespace coppice::search {
namespace {

std::string ClassText(const XeiClass& of) {
  constexpr const char* kKinds[] = {"edit",         "edit repair", "hop repair",
                                    "edit mending", "hop mending", "hinted"};
  return std::string(kKinds[of.kind]) + " " + std::to_string(of.tries) + "/" +
         std::to_string(of.improving);
}

Tree WithXei(const TextTree& text, std::optional<HintBelief> hints = {}) {
  return BuildTree(text, std::make_unique<XeiIndex>(std::nullopt, hints));
}

const XeiIndex& XeiOf(const Tree& tree) {
  return static_cast<const XeiIndex&>(*tree.index());
}

// "edit 1/0: n2" for each class that has a member.
std::map<std::string, std::string> Tops(const Tree& tree) {
  std::map<std::string, std::string> tops;
  XeiOf(tree).heaps().ForEachTop(
      [&](ClassHeaps::Class code, NodeId top, double) {
        tops[ClassText(XeiClass::Decode(code))] = Label(top);
      });
  return tops;
}

using ByClass = std::map<std::string, std::string>;

TEST(XeiClassTest, ACodeIsReadBack) {
  for (std::uint64_t kind = 0; kind <= XeiClass::kHinted; ++kind) {
    for (const int tries : {0, 1, 15, 16, 1'000'000, (1 << 30) - 1}) {
      for (const int improving : {0, 1, 9, (1 << 30) - 1}) {
        const XeiClass of{static_cast<XeiClass::Kind>(kind), tries, improving};
        EXPECT_EQ(ClassText(XeiClass::Decode(of.Code())), ClassText(of));
      }
    }
  }
}

TEST(XeiClassTest, CodesAreInTheOrderOfKindThenTriesThenImproving) {
  const XeiClass ordered[] = {{XeiClass::kEdit, 0, 0},
                              {XeiClass::kEdit, 0, 1 << 29},
                              {XeiClass::kEdit, 1, 0},
                              {XeiClass::kEdit, 2, 1},
                              {XeiClass::kEdit, (1 << 30) - 1, 1},
                              {XeiClass::kEditRepair, 0, 0},
                              {XeiClass::kHopRepair, 0, 0},
                              {XeiClass::kEditMending, 0, 0},
                              {XeiClass::kHopMending, 0, 0},
                              {XeiClass::kHinted, 0, 0}};
  for (std::size_t i = 1; i < std::size(ordered); ++i) {
    EXPECT_LT(ordered[i - 1].Code(), ordered[i].Code()) << i;
  }
}

// n1 has three children, of which n3 improves on it; n3 is its own class, and
// n2, an edit of n1 that gains nothing, is in that of n3, which is faster.
TEST(XeiIndexTest, PassingNodesAreByChildrenAndThoseThatImprove) {
  const Tree tree =
      WithXei(ParseTree("n0 10ms\n"
                        "  n1 8ms\n"
                        "    n2 8ms\n"
                        "    n3 5ms\n"
                        "    n4 none\n"));
  EXPECT_EQ(Tops(tree), (ByClass{{"edit 0/0", "n3"}, {"edit 3/1", "n1"}}));
}

TEST(XeiIndexTest, AnAttemptInFlightIsAChildThatDoesNotImprove) {
  Tree tree = WithXei(ParseTree("n0 10ms +3\n  n1 8ms\n"));
  EXPECT_EQ(Tops(tree), (ByClass{{"edit 0/0", "n1"}}));
  tree.BeginAttempt(NodeId{1});
  EXPECT_EQ(Tops(tree), (ByClass{{"edit 1/0", "n1"}}));
  tree.EndAttempt(NodeId{1});
  EXPECT_EQ(Tops(tree), (ByClass{{"edit 0/0", "n1"}}));
}

// By their first four bits: 17 is 10001 in binary and counts as 10000, 100 is
// 1100100 and counts as 1100000, which is 96.
TEST(XeiIndexTest, CountsAboveFifteenGoByTheirFirstFourBits) {
  const std::pair<int, int> kCounts[] = {
      {15, 15}, {16, 16}, {17, 16}, {18, 18},  {31, 30},
      {32, 32}, {35, 32}, {36, 36}, {100, 96}, {1023, 960}};
  for (const auto& [attempts, counted] : kCounts) {
    const Tree tree = WithXei(
        ParseTree("n0 10ms\n  n1 8ms +" + std::to_string(attempts) + "\n"));
    EXPECT_EQ(Tops(tree),
              (ByClass{{"edit " + std::to_string(counted) + "/0", "n1"}}))
        << attempts;
  }
}

// n1 and n4 are first hops, n3 an edit of n2.  n5 repairs n4, so n4 is out, and
// n5 is what is repaired after one repair.
TEST(XeiIndexTest, FailingNodesAreByWhatTheyMendAndTheRepairsBefore) {
  const Tree tree =
      WithXei(ParseTree("n0 10ms\n"
                        "  n1 compile_failed\n"
                        "  n2 8ms +1\n"
                        "    n3 failed\n"
                        "  n4 failed\n"
                        "    n5 crashed\n"));
  EXPECT_EQ(Tops(tree), (ByClass{{"edit 2/0", "n2"},
                                 {"edit repair 0/0", "n3"},
                                 {"hop repair 0/0", "n1"},
                                 {"hop repair 1/0", "n5"}}));
}

TEST(XeiIndexTest, AFailingNodeIsRepairedOnceAndIsBackIfNothingCameOfIt) {
  Tree tree = WithXei(ParseTree("n0 10ms\n  n1 failed\n"));
  tree.BeginAttempt(NodeId{1});
  EXPECT_EQ(Tops(tree), ByClass{});
  tree.EndAttempt(NodeId{1});
  EXPECT_EQ(Tops(tree), (ByClass{{"hop repair 0/0", "n1"}}));
}

// With spreads of 0.3 and a doubt of 0.3 a hint counts half.  n1 is a first hop
// believed at -1 with a hint of ln 2: (-1 + 0.693) / 2.  n2, an edit of
// n1 at ln 2, has a hint of ln 4: 1.5 ln 2.
TEST(XeiIndexTest, AHintCountsByTheInverseOfItsVariance) {
  const HintBelief even{
      .doubt = 0.3, .hop_mean = -1.0, .hop_spread = 0.3, .edit_spread = 0.3};
  const auto key_of_hinted = [&](std::string_view text, HintBelief belief) {
    const Tree tree = WithXei(ParseTree(text), belief);
    double found = NAN;
    XeiOf(tree).heaps().ForEachTop(
        [&](ClassHeaps::Class code, NodeId, double key) {
          if (XeiClass::Decode(code).kind == XeiClass::kHinted) found = key;
        });
    return found;
  };
  EXPECT_NEAR(key_of_hinted("n0 10ms\n  n1 failed ~2x\n", even),
              (std::log(2.0) - 1.0) / 2, 1e-6);
  const std::string edit = "n0 10ms\n  n1 5ms\n    n2 failed ~4x\n";
  EXPECT_NEAR(key_of_hinted(edit, even), 1.5 * std::log(2.0), 1e-6);
  // A spread of 0.6 beside a doubt of 0.3: 0.36 of 0.45, four fifths.
  HintBelief wide = even;
  wide.edit_spread = 0.6;
  EXPECT_NEAR(key_of_hinted(edit, wide), 1.8 * std::log(2.0), 1e-6);
}

// n1's hint is its own; n3 does not compile, so it has that of n2, which it was
// to repair.  n4 never ran, and of n5, which crashed, nothing is known.
TEST(XeiIndexTest, FailuresAreToldApartIfItIsSaidWhatHintsAreWorth) {
  const TextTree text = ParseTree(
      "n0 10ms\n"
      "  n1 failed ~2x\n"
      "  n2 failed ~1x\n"
      "    n3 compile_failed\n"
      "  n4 compile_failed\n"
      "  n5 crashed\n"
      "  n6 8ms +1\n"
      "    n7 compile_failed\n");
  EXPECT_EQ(Tops(WithXei(text, HintBelief{})),
            (ByClass{{"hinted 0/0", "n1"},
                     {"hinted 1/0", "n3"},
                     {"hop mending 0/0", "n4"},
                     {"hop repair 0/0", "n5"},
                     {"edit 2/0", "n6"},
                     {"edit mending 0/0", "n7"}}));
  EXPECT_EQ(Tops(WithXei(text)), (ByClass{{"hop repair 0/0", "n1"},
                                          {"hop repair 1/0", "n3"},
                                          {"edit 2/0", "n6"},
                                          {"edit repair 0/0", "n7"}}));
}

// 9.95 ms is no more than noise faster than 10 ms: ln = 0.005.  The best is
// its, the incumbent is still n1; n3 beats both.
TEST(XeiIndexTest, TheIncumbentIsTheLastThatBeatWhatWasByMoreThanNoise) {
  const auto told = [](std::string_view text) {
    const Tree tree = WithXei(ParseTree(text));
    const auto node = XeiOf(tree).incumbent();
    return node ? Label(*node) : "none";
  };
  EXPECT_EQ(told("n0 5ms\n  n1 failed\n"), "none");
  EXPECT_EQ(told("n0 5ms\n  n1 10ms\n  n2 9.95ms\n"), "n1");
  EXPECT_EQ(told("n0 5ms\n  n1 10ms\n  n2 9.95ms\n  n3 9.8ms\n"), "n3");
  const Tree tree = WithXei(ParseTree("n0 5ms\n  n1 10ms\n  n2 9.95ms\n"));
  EXPECT_NEAR(XeiOf(tree).best().value(), std::log(5 / 9.95), 1e-12);
  EXPECT_EQ(XeiOf(WithXei(ParseTree("n0 5ms\n"))).best(), std::nullopt);
}

int CoarseByScan(int count) {
  int step = 1;
  while (count / step > 15) step *= 2;
  return count / step * step;
}

// The class and key of each node that may be selected, from the definitions.
class PlaceScan {
 public:
  PlaceScan(const TextTree& text, std::optional<HintBelief> hints)
      : scan_(text), hints_(hints) {}

  std::optional<std::pair<std::string, double>> Place(NodeId node) const {
    if (!scan_.IsExpandable(node)) return std::nullopt;
    if (scan_.Passes(node)) {
      int improving = 0;
      for (const NodeId child : scan_.Children(node)) {
        improving += scan_.Passes(child) &&
                     scan_.LogSpeedup(child) > scan_.LogSpeedup(node) + 0.01;
      }
      return {{ClassText({XeiClass::kEdit, CoarseByScan(scan_.Attempts(node)),
                          CoarseByScan(improving)}),
               scan_.LogSpeedup(node)}};
    }
    if (scan_.Attempts(node) > 0) return std::nullopt;
    NodeId base = scan_.Parent(node);
    while (base != kRootNode && !scan_.Passes(base)) base = scan_.Parent(base);
    const bool is_hop = base == kRootNode;
    const double speed = is_hop ? 0.0 : scan_.LogSpeedup(base);
    const int repairs = CoarseByScan(scan_.FailedRepairs(node));
    const bool compiles = scan_.Node(node).verdict != Verdict::kCompileFailed;
    const auto hint = scan_.Node(compiles ? node : scan_.Parent(node)).log_hint;
    if (hints_ && !compiles && !hint) {
      return {
          {ClassText({is_hop ? XeiClass::kHopMending : XeiClass::kEditMending,
                      repairs, 0}),
           speed}};
    }
    if (hints_ && hint) {
      const double prior = is_hop ? hints_->hop_mean : speed;
      const double spread = is_hop ? hints_->hop_spread : hints_->edit_spread;
      const double of_prior = 1.0 / (spread * spread);
      const double of_hint = 1.0 / (hints_->doubt * hints_->doubt);
      return {{ClassText({XeiClass::kHinted, repairs, 0}),
               (of_prior * prior + of_hint * *hint) / (of_prior + of_hint)}};
    }
    return {{ClassText({is_hop ? XeiClass::kHopRepair : XeiClass::kEditRepair,
                        repairs, 0}),
             speed}};
  }

 private:
  TreeScan scan_;
  std::optional<HintBelief> hints_;
};

TEST(XeiIndexTest, EachClassIsLedByWhatAScanFinds) {
  RandomStream stream(13, Purpose::kSimulation, 0);
  for (int i = 0; i < 600; ++i) {
    const TextTree text = i % 2 == 0 ? BushyTree(stream) : RandomTree(stream);
    std::optional<HintBelief> hints;
    if (i % 3 != 0) hints = HintBelief{};
    const Tree tree =
        GrowTree(text, std::make_unique<XeiIndex>(std::nullopt, hints), stream);
    const PlaceScan scan(text, hints);
    std::map<std::string, double> best;  // The largest key of each class.
    std::map<NodeId, std::pair<std::string, double>> places;
    for (std::size_t k = 1; k < text.nodes.size(); ++k) {
      const auto place = scan.Place(text.nodes[k].id);
      if (!place) continue;
      places[text.nodes[k].id] = *place;
      const auto [entry, added] = best.insert(*place);
      if (!added) entry->second = std::max(entry->second, place->second);
    }
    std::map<std::string, double> led;
    XeiOf(tree).heaps().ForEachTop(
        [&](ClassHeaps::Class code, NodeId top, double key) {
          const std::string of = ClassText(XeiClass::Decode(code));
          led[of] = key;
          ASSERT_TRUE(places.contains(top)) << Label(top);
          EXPECT_EQ(places[top].first, of) << i;
          EXPECT_NEAR(places[top].second, key, 1e-9) << i;
        });
    ASSERT_EQ(led.size(), best.size()) << i;
    for (const auto& [of, key] : best) {
      ASSERT_NEAR(led[of], key, 1e-9) << i << " " << of;
    }
    ASSERT_FALSE(HasFailure());
  }
}

}  // namespace
}  // namespace coppice::search
