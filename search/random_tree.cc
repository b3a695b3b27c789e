#include "search/random_tree.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "store/records/node_summary.h"

namespace coppice::search {

std::int64_t Draw(RandomStream& stream, std::int64_t n) {
  return static_cast<std::int64_t>(stream.Below(static_cast<std::uint64_t>(n)));
}

TextTree RandomTree(RandomStream& stream) {
  TextTree tree;
  const std::int64_t size = 1 + Draw(stream, 60);
  const std::int64_t shape = Draw(stream, 3);
  const std::int64_t failing_of_10 = 3 + Draw(stream, 7);
  for (std::int64_t i = 0; i < size; ++i) {
    NodeSummary node;
    node.id = NodeId{i};
    if (i > 0) {
      const std::int64_t reach = shape == 0 ? i : std::min<std::int64_t>(i, 3);
      node.parent = NodeId{shape == 2 ? Draw(stream, reach)
                                      : i - 1 - Draw(stream, reach)};
    }
    node.kernel_hash = 1 + stream.Below(20);
    if (Draw(stream, 10) >= failing_of_10) {
      node.verdict = Verdict::kPassed;
      node.runtime_s = 1e-3 * static_cast<double>(1 + Draw(stream, 12));
    } else {
      constexpr Verdict kFailures[] = {
          Verdict::kCompileFailed, Verdict::kCrashed, Verdict::kWrongOutput,
          Verdict::kNoCandidate, Verdict::kInconclusive};
      node.verdict = kFailures[Draw(stream, 5)];
      if (node.verdict == Verdict::kNoCandidate) node.kernel_hash = 0;
      // Few levels, so that ties are common.
      if (node.verdict == Verdict::kWrongOutput && node.id != kRootNode &&
          i % 3 != 0) {
        node.log_hint = 0.25F * static_cast<float>(i % 9 - 3);
      }
    }
    tree.nodes.push_back(node);
  }
  for (std::int64_t flights = Draw(stream, 5); flights > 0; --flights) {
    ++tree.in_flight[NodeId{Draw(stream, size)}];
  }
  return tree;
}

TextTree BushyTree(RandomStream& stream) {
  TextTree tree = RandomTree(stream);
  for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
    if (Draw(stream, 2) == 0) tree.nodes[i].parent = kRootNode;
  }
  return tree;
}

Tree GrowTree(const TextTree& text, std::unique_ptr<TreeIndex> index,
              RandomStream& stream) {
  Tree tree({}, std::move(index));
  std::vector<NodeId> passing_by;  // Whose attempts come to nothing.
  for (const NodeSummary& node : text.nodes) {
    const bool is_reserved = node.parent && Draw(stream, 2) == 0;
    if (is_reserved) tree.BeginAttempt(*node.parent);
    if (tree.Size() > 0 && Draw(stream, 2) == 0) {
      passing_by.push_back(NodeId{Draw(stream, tree.Size())});
      tree.BeginAttempt(passing_by.back());
    }
    if (is_reserved) tree.EndAttempt(*node.parent);
    tree.Add(node);
    const auto flights = text.in_flight.find(node.id);
    for (int i = flights == text.in_flight.end() ? 0 : flights->second; i > 0;
         --i) {
      tree.BeginAttempt(node.id);
    }
    if (!passing_by.empty() && Draw(stream, 3) == 0) {
      tree.EndAttempt(passing_by.front());
      passing_by.erase(passing_by.begin());
    }
  }
  for (const NodeId node : passing_by) tree.EndAttempt(node);
  return tree;
}

}  // namespace coppice::search
