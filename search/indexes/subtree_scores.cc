#include "search/indexes/subtree_scores.h"

#include "search/indexes/subtree_rewards.h"
#include "search/lineage.h"

namespace coppice::search {
namespace {

void CountScore(ScoreMoments& moments, double score) {
  moments.count += 1.0;
  moments.sum += score;
  moments.squares += score * score;
}

}  // namespace

void SubtreeScores::OnAdd(const Tree& tree, NodeId node) {
  scores_.emplace_back();
  if (node == kRootNode) return;
  if (tree.Node(node).verdict == Verdict::kInconclusive) return;
  const double score =
      Passes(tree, node) ? RewardOf(LogSpeedup(tree, node)) : 0.0;
  Scores& added = At(node);
  added.own = score;
  CountScore(added.result, score);
  CountScore(At(tree.Parent(node)).children, score);
  for (NodeId at = node;; at = tree.Parent(at)) {
    CountScore(At(at).subtree, score);
    if (at == kRootNode) return;
  }
}

ScoreMoments SubtreeScores::Deeper(NodeId node) const {
  const Scores& scores = Of(node);
  const auto less = [](double a, double b, double c) { return a - b - c; };
  return {
      less(scores.subtree.count, scores.children.count, scores.result.count),
      less(scores.subtree.sum, scores.children.sum, scores.result.sum),
      less(scores.subtree.squares, scores.children.squares,
           scores.result.squares)};
}

std::vector<NodeId> SubtreeScores::Contenders(const Tree& tree, NodeId node) {
  std::vector<NodeId> contenders = tree.Children(node);
  std::erase_if(contenders,
                [&](NodeId child) { return !IsExpandable(tree.Node(child)); });
  return contenders;
}

}  // namespace coppice::search
