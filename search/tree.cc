#include "search/tree.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <queue>
#include <unordered_set>

namespace coppice::search {
namespace {

bool Passes(const NodeSummary& node) {
  return node.verdict == Verdict::kPassed;
}

// An inconclusive one has not failed: it will be measured again.
bool Fails(const NodeSummary& node) {
  return !Passes(node) && node.verdict != Verdict::kInconclusive;
}

std::uint32_t Ordinal(NodeId node) {
  return static_cast<std::uint32_t>(Index(node));
}

}  // namespace

bool IsExpandable(const NodeSummary& node) {
  return node.kernel_hash != 0 && node.verdict != Verdict::kNoCandidate &&
         node.verdict != Verdict::kInconclusive && !node.is_repeat &&
         !node.is_frozen;
}

void Tree::Add(const NodeSummary& node) {
  assert(Index(node.id) == Size());
  assert(Size() < std::numeric_limits<std::uint32_t>::max());
  assert(node.parent.has_value() == (node.id != kRootNode));
  assert(Passes(node) ? node.runtime_s && std::isfinite(*node.runtime_s)
                      : !node.runtime_s);
  assert(!node.log_hint || node.verdict == Verdict::kWrongOutput);
  Links links;
  if (node.parent) LinkToParent(node, links);
  nodes_.push_back(node);
  links_.push_back(links);
  Count(node);
  Refresh(node.id);
  if (node.parent) Refresh(*node.parent);
  if (index_) index_->OnAdd(*this, node.id);
}

void Tree::LinkToParent(const NodeSummary& node, Links& links) {
  const std::uint32_t parent = Ordinal(*node.parent);
  assert(parent < links_.size());
  Links& above = links_[parent];
  links.previous_sibling = above.last_child;
  above.last_child = Ordinal(node.id);
  ++above.children;
  if (Fails(node)) ++above.failing_children;
  links.depth = above.depth + 1;
  // Myers 1983, "An applicative random-access stack": jump twice as far as the
  // parent where its two jumps are equally long, else to the parent.  From any
  // depth, any ancestor is then O(log depth) steps away.
  const Links& first = links_[above.jump];
  const Links& second = links_[first.jump];
  links.jump = above.depth - first.depth == first.depth - second.depth
                   ? first.jump
                   : parent;
}

void Tree::Count(const NodeSummary& node) {
  ++verdicts_.at(static_cast<std::size_t>(node.verdict));
  if (!Passes(node)) return;
  fastest_.push_back(Ordinal(node.id));
  std::push_heap(
      fastest_.begin(), fastest_.end(),
      [this](std::uint32_t a, std::uint32_t b) { return IsSlower(a, b); });
}

void Tree::BeginAttempt(NodeId parent) {
  ++in_flight_[parent];
  Refresh(parent);
  if (index_) index_->OnFlight(*this, parent);
}

void Tree::EndAttempt(NodeId parent) {
  const auto entry = in_flight_.find(parent);
  assert(entry != in_flight_.end());
  if (--entry->second == 0) in_flight_.erase(entry);
  Refresh(parent);
  if (index_) index_->OnFlight(*this, parent);
}

const NodeSummary& Tree::Node(NodeId node) const {
  assert(Index(node) >= 0 && Index(node) < Size());
  return nodes_[Ordinal(node)];
}

const Tree::Links& Tree::LinksOf(NodeId node) const {
  assert(Index(node) >= 0 && Index(node) < Size());
  return links_[Ordinal(node)];
}

int Tree::Depth(NodeId node) const {
  return static_cast<int>(LinksOf(node).depth);
}

int Tree::ChildCount(NodeId node) const {
  return static_cast<int>(LinksOf(node).children);
}

int Tree::FailingChildCount(NodeId node) const {
  return static_cast<int>(LinksOf(node).failing_children);
}

int Tree::InFlight(NodeId node) const {
  const auto entry = in_flight_.find(node);
  return entry == in_flight_.end() ? 0 : entry->second;
}

void Tree::VisitInFlight(const std::function<void(NodeId, int)>& visit) const {
  for (const auto& [node, attempts] : in_flight_) visit(node, attempts);
}

bool Tree::IsWithin(NodeId node, NodeId top) const {
  const std::uint32_t depth = LinksOf(top).depth;
  std::uint32_t at = Ordinal(node);
  while (links_[at].depth > depth) {
    const std::uint32_t jump = links_[at].jump;
    at = links_[jump].depth >= depth ? jump : Ordinal(*nodes_[at].parent);
  }
  return at == Ordinal(top);
}

std::optional<NodeId> Tree::Best() const {
  if (fastest_.empty()) return std::nullopt;
  return NodeId{fastest_.front()};
}

std::vector<NodeId> Tree::Children(NodeId node) const {
  std::vector<NodeId> children;
  for (std::uint32_t child = LinksOf(node).last_child; child != 0;
       child = links_[child].previous_sibling) {
    children.push_back(NodeId{child});
  }
  std::reverse(children.begin(), children.end());
  return children;
}

NodeId Tree::Parent(NodeId node) const {
  assert(node != kRootNode);
  return *Node(node).parent;
}

std::vector<NodeId> Tree::Relatives(Kinship kinship, NodeId of) const {
  if (kinship == Kinship::kChild) return Children(of);
  std::vector<NodeId> relatives;
  if (of == kRootNode) return relatives;
  relatives = Children(Parent(of));
  std::erase(relatives, of);
  if (kinship == Kinship::kSibling) return relatives;
  std::vector<NodeId> nephews;
  for (const NodeId sibling : relatives) {
    const std::vector<NodeId> children = Children(sibling);
    nephews.insert(nephews.end(), children.begin(), children.end());
  }
  std::ranges::sort(nephews);  // Ids are commit order; by sibling it was not.
  return nephews;
}

std::int64_t Tree::CountRelatives(Kinship kinship, NodeId of) const {
  if (kinship == Kinship::kChild) return ChildCount(of);
  if (of == kRootNode) return 0;
  const NodeId parent = Parent(of);
  if (kinship == Kinship::kSibling) return ChildCount(parent) - 1;
  std::int64_t nephews = 0;
  for (const NodeId sibling : Children(parent)) {
    if (sibling != of) nephews += ChildCount(sibling);
  }
  return nephews;
}

std::vector<NodeId> Tree::RelativesAt(
    Kinship kinship, NodeId of, const std::vector<std::int64_t>& places) const {
  std::vector<NodeId> nodes;
  if (places.empty()) return nodes;
  const std::vector<NodeId> relatives = Relatives(kinship, of);
  for (const std::int64_t place : places) {
    nodes.push_back(relatives[static_cast<std::size_t>(place)]);
  }
  return nodes;
}

std::int64_t Tree::CountPassing(Kinship kinship, NodeId of,
                                std::int64_t most) const {
  const std::vector<NodeId> relatives = Relatives(kinship, of);
  const auto passing = std::ranges::count_if(
      relatives, [this](NodeId node) { return Passes(Node(node)); });
  return std::min<std::int64_t>(passing, most);
}

void Tree::VisitFastest(const std::function<bool(NodeId)>& visit) const {
  if (fastest_.empty()) return;
  // The next fastest is always at the edge of the part of the heap visited.
  const auto later = [this](std::size_t a, std::size_t b) {
    return IsSlower(fastest_[a], fastest_[b]);
  };
  std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)>
      edge(later);
  edge.push(0);
  while (!edge.empty()) {
    const std::size_t at = edge.top();
    edge.pop();
    for (std::size_t below = 2 * at + 1; below <= 2 * at + 2; ++below) {
      if (below < fastest_.size()) edge.push(below);
    }
    if (!visit(NodeId{fastest_[at]})) return;
  }
}

std::vector<NodeId> Tree::Leaders(NodeId outside, int limit) const {
  std::vector<NodeId> leaders;
  const auto most = static_cast<std::size_t>(std::max(limit, 0));
  if (outside == kRootNode || most == 0) return leaders;
  std::unordered_set<std::uint64_t> sources;
  VisitFastest([&](NodeId node) {
    if (node == kRootNode || IsWithin(node, outside)) return true;
    if (sources.insert(Node(node).kernel_hash).second) leaders.push_back(node);
    return leaders.size() < most;
  });
  return leaders;
}

std::vector<NodeId> Tree::LeadersAmong(NodeId outside, int size) const {
  std::vector<NodeId> leaders;
  const auto most = static_cast<std::size_t>(std::max(size, 0));
  if (outside == kRootNode || most == 0) return leaders;
  std::unordered_set<std::uint64_t> sources;
  VisitFastest([&](NodeId node) {
    const bool is_new = sources.insert(Node(node).kernel_hash).second;
    if (is_new && node != kRootNode && !IsWithin(node, outside)) {
      leaders.push_back(node);
    }
    return sources.size() < most;
  });
  return leaders;
}

bool Tree::IsEligible(NodeId node) const {
  if (!IsExpandable(Node(node))) return false;
  const std::int64_t children = ChildCount(node);
  if (node == kRootNode && children + InFlight(node) >= rule_.max_root_children)
    return false;
  return children <= rule_.max_failing_children ||
         FailingChildCount(node) < children;
}

// Brings the indexes of eligible nodes up to date with one node.
void Tree::Refresh(NodeId node) {
  const bool eligible = IsEligible(node);
  const bool leaf = ChildCount(node) + InFlight(node) == 0;
  const bool passes = Passes(Node(node));
  const auto keep = [node](IdSet& set, bool member) {
    member ? set.Insert(node) : set.Erase(node);
  };
  keep(eligible_, eligible);
  keep(eligible_leaves_, eligible && leaf);
  keep(eligible_failing_, eligible && !passes);
  if (eligible && passes) {
    best_eligible_.Set(node, *Node(node).runtime_s);
  } else {
    best_eligible_.Erase(node);
  }
}

bool Tree::IsSlower(std::uint32_t a, std::uint32_t b) const {
  const double runtime_a = *nodes_[a].runtime_s;
  const double runtime_b = *nodes_[b].runtime_s;
  return runtime_a != runtime_b ? runtime_a > runtime_b : a > b;
}

}  // namespace coppice::search
