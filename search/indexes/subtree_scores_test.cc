#include "search/indexes/subtree_scores.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "search/random_tree.h"
#include "search/text_tree.h"
#include "search/tree_scan.h"

namespace coppice::search {
namespace {

Tree WithScores(std::string_view text) {
  return BuildTree(ParseTree(text), std::make_unique<SubtreeScores>());
}

const SubtreeScores& ScoresOf(const Tree& tree) {
  return static_cast<const SubtreeScores&>(*tree.index());
}

void ExpectMoments(const ScoreMoments& moments, double count, double sum,
                   double squares) {
  EXPECT_DOUBLE_EQ(moments.count, count);
  EXPECT_NEAR(moments.sum, sum, 1e-12);
  EXPECT_NEAR(moments.squares, squares, 1e-12);
}

// Scores: n1 0.8 (2x), n2 0 (fails), n3 0.9 (3x), n4 0.1 (a third), n5 none,
// for it is not decided, n6 0.5.
constexpr std::string_view kScored =
    "n0 6ms\n"
    "  n1 3ms\n"
    "    n3 2ms\n"
    "      n4 18ms\n"
    "    n5 inconclusive\n"
    "  n2 failed\n"
    "    n6 6ms\n";

TEST(SubtreeScoresTest, AFailureIsAResultOfZeroAndWhatIsNotDecidedIsNone) {
  const Tree tree = WithScores(kScored);
  const SubtreeScores& scores = ScoresOf(tree);
  EXPECT_DOUBLE_EQ(scores.Own(NodeId{1}), 0.8);
  EXPECT_EQ(scores.Own(NodeId{2}), 0.0);
  EXPECT_EQ(scores.Own(NodeId{5}), 0.0);
  ExpectMoments(scores.Subtree(NodeId{2}), 2, 0.5, 0.25);
  ExpectMoments(scores.Subtree(NodeId{5}), 0, 0, 0);
  ExpectMoments(scores.Children(NodeId{1}), 1, 0.9, 0.81);
  ExpectMoments(scores.Children(NodeId{2}), 1, 0.5, 0.25);
}

TEST(SubtreeScoresTest, TheRootIsNoResultAndAllBelowItAre) {
  const Tree tree = WithScores(kScored);
  const SubtreeScores& scores = ScoresOf(tree);
  EXPECT_EQ(scores.Own(kRootNode), 0.0);
  // 0.8, 0, 0.9, 0.1 and 0.5; squares 0.64 + 0.81 + 0.01 + 0.25.
  ExpectMoments(scores.Subtree(kRootNode), 5, 2.3, 1.71);
  ExpectMoments(scores.Children(kRootNode), 2, 0.8, 0.64);
  ExpectMoments(scores.Deeper(kRootNode), 3, 1.5, 1.07);
}

TEST(SubtreeScoresTest, DeeperIsWithoutTheNodeAndItsChildren) {
  const Tree tree = WithScores(kScored);
  const SubtreeScores& scores = ScoresOf(tree);
  ExpectMoments(scores.Subtree(NodeId{1}), 3, 1.8, 1.46);
  ExpectMoments(scores.Deeper(NodeId{1}), 1, 0.1, 0.01);
  ExpectMoments(scores.Deeper(NodeId{3}), 0, 0, 0);
  ExpectMoments(scores.Deeper(NodeId{4}), 0, 0, 0);
}

// A failing child may be worked on; one without a candidate, one
// that is not decided, one of tokens that were there, and a frozen one may not.
TEST(SubtreeScoresTest, ContendersAreTheChildrenThatMayBeWorkedOn) {
  TextTree text = ParseTree(
      "n0 6ms\n"
      "  n1 3ms\n"
      "  n2 failed\n"
      "  n3 none\n"
      "  n4 inconclusive\n"
      "  n5 6ms\n"
      "  n6 6ms\n"
      "  n7 compile_failed\n"
      "    n8 6ms\n");
  text.nodes[5].is_repeat = true;
  text.nodes[6].is_frozen = true;
  const Tree tree = BuildTree(text);
  EXPECT_EQ(Labels(SubtreeScores::Contenders(tree, kRootNode)), "n1 n2 n7");
  EXPECT_EQ(Labels(SubtreeScores::Contenders(tree, NodeId{1})), "");
}

// The score of a node, if it is a result.
std::optional<double> ScoreByScan(const TreeScan& scan, NodeId node) {
  if (node == kRootNode) return std::nullopt;
  if (scan.Node(node).verdict == Verdict::kInconclusive) return std::nullopt;
  if (!scan.Passes(node)) return 0.0;
  const double factor =
      *scan.Node(node).runtime_s / scan.Node(kRootNode).runtime_s.value_or(1.0);
  return 1.0 / (1.0 + factor * factor);
}

TEST(SubtreeScoresTest, AgreesWithAScanHoweverAttemptsBeganAndEnded) {
  RandomStream stream(12, Purpose::kSimulation, 0);
  for (int i = 0; i < 300; ++i) {
    const TextTree text = i % 2 == 0 ? BushyTree(stream) : RandomTree(stream);
    const Tree tree = GrowTree(text, std::make_unique<SubtreeScores>(), stream);
    const TreeScan scan(text);
    for (const NodeSummary& top : text.nodes) {
      ScoreMoments within;
      ScoreMoments children;
      ScoreMoments deeper;
      for (const NodeSummary& each : text.nodes) {
        NodeId at = each.id;
        int steps = 0;
        for (; at != top.id && at != kRootNode; ++steps) at = scan.Parent(at);
        const auto score = ScoreByScan(scan, each.id);
        if (at != top.id || !score) continue;
        const auto count = [&](ScoreMoments& moments) {
          moments.count += 1;
          moments.sum += *score;
          moments.squares += *score * *score;
        };
        count(within);
        if (steps == 1) count(children);
        if (steps > 1) count(deeper);
      }
      SCOPED_TRACE(std::to_string(i) + " " + Label(top.id));
      const SubtreeScores& scores = ScoresOf(tree);
      ExpectMoments(scores.Subtree(top.id), within.count, within.sum,
                    within.squares);
      ExpectMoments(scores.Children(top.id), children.count, children.sum,
                    children.squares);
      ExpectMoments(scores.Deeper(top.id), deeper.count, deeper.sum,
                    deeper.squares);
      EXPECT_NEAR(scores.Own(top.id), ScoreByScan(scan, top.id).value_or(0.0),
                  1e-12);
      ASSERT_FALSE(HasFailure());
    }
  }
}

}  // namespace
}  // namespace coppice::search
