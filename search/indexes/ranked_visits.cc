#include "search/indexes/ranked_visits.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace coppice::search {
namespace {

// The finaliser of splitmix64 (Steele, Lea, Flood 2014).
std::uint64_t HashPriority(NodeId node) {
  auto bits = static_cast<std::uint64_t>(Index(node)) + 0x9E3779B97F4A7C15u;
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9u;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBu;
  return bits ^ (bits >> 31);
}

}  // namespace

void RankedVisits::Insert(NodeId node, double score, std::uint32_t visits) {
  assert(std::isfinite(score));
  const auto id = static_cast<std::size_t>(Index(node));
  if (id >= item_of_.size()) item_of_.resize(id + 1, kNone);
  assert(item_of_[id] == kNone);
  const auto added = static_cast<Link>(items_.size());
  item_of_[id] = added;
  items_.push_back(
      {.node = node, .score = score, .visits = visits, .fewest = visits});
  Link up = kNone;
  Link at = root_;
  while (at != kNone) {
    Item& item = items_[at];
    ++item.size;
    item.fewest = std::min(item.fewest, visits);
    up = at;
    at = Precedes(items_[added], item) ? item.left : item.right;
  }
  items_[added].up = up;
  if (up == kNone) {
    root_ = added;
  } else if (Precedes(items_[added], items_[up])) {
    items_[up].left = added;
  } else {
    items_[up].right = added;
  }
  while (items_[added].up != kNone &&
         HashPriority(node) > HashPriority(items_[items_[added].up].node)) {
    RotateUp(added);
  }
}

void RankedVisits::AddVisits(NodeId node, int change) {
  const auto id = static_cast<std::size_t>(Index(node));
  if (id >= item_of_.size() || item_of_[id] == kNone) return;
  Link at = item_of_[id];
  items_[at].visits = static_cast<std::uint32_t>(
      static_cast<std::int64_t>(items_[at].visits) + change);
  for (; at != kNone; at = items_[at].up) {
    const std::uint32_t before = items_[at].fewest;
    Update(at);
    if (items_[at].fewest == before) return;  // None above sees a change.
  }
}

std::int64_t RankedVisits::CountBelow(double score) const {
  std::int64_t below = 0;
  for (Link at = root_; at != kNone;) {
    const Item& item = items_[at];
    if (item.score < score) {
      below += 1 + SizeOf(item.right);
      at = item.left;
    } else {
      at = item.right;
    }
  }
  return below;
}

std::optional<RankedVisits::Member> RankedVisits::FirstBelow(
    std::int64_t place, std::uint32_t visits) const {
  return Find(root_, 0, place, visits);
}

// Below `at`, before which there are so many.
std::optional<RankedVisits::Member> RankedVisits::Find(
    Link at, std::int64_t before, std::int64_t place,
    std::uint32_t visits) const {
  if (at == kNone) return std::nullopt;
  const Item& item = items_[at];
  if (item.fewest >= visits || before + item.size <= place) return std::nullopt;
  if (const auto found = Find(item.left, before, place, visits)) return found;
  const std::int64_t here = before + SizeOf(item.left);
  if (here >= place && item.visits < visits) {
    return Member{item.node, item.score, item.visits, here};
  }
  return Find(item.right, here + 1, place, visits);
}

std::uint32_t RankedVisits::Fewest(std::int64_t from, std::int64_t to) const {
  return FewestIn(root_, 0, from, to);
}

std::uint32_t RankedVisits::FewestIn(Link at, std::int64_t before,
                                     std::int64_t from, std::int64_t to) const {
  constexpr std::uint32_t kNothing = std::numeric_limits<std::uint32_t>::max();
  if (at == kNone || before >= to) return kNothing;
  const Item& item = items_[at];
  if (before + item.size <= from) return kNothing;
  if (from <= before && before + item.size <= to) return item.fewest;
  const std::int64_t here = before + SizeOf(item.left);
  return std::min({from <= here && here < to ? item.visits : kNothing,
                   FewestIn(item.left, before, from, to),
                   FewestIn(item.right, here + 1, from, to)});
}

bool RankedVisits::Precedes(const Item& a, const Item& b) const {
  return a.score != b.score ? a.score > b.score : a.node < b.node;
}

void RankedVisits::Update(Link at) {
  Item& item = items_[at];
  item.size = 1;
  item.fewest = item.visits;
  for (const Link below : {item.left, item.right}) {
    if (below == kNone) continue;
    item.size += items_[below].size;
    item.fewest = std::min(item.fewest, items_[below].fewest);
  }
}

void RankedVisits::RotateUp(Link at) {
  const Link down = items_[at].up;
  const Link up = items_[down].up;
  const bool from_left = items_[down].left == at;
  Link& inner = from_left ? items_[at].right : items_[at].left;
  (from_left ? items_[down].left : items_[down].right) = inner;
  if (inner != kNone) items_[inner].up = down;
  inner = down;
  items_[down].up = at;
  items_[at].up = up;
  if (up == kNone) {
    root_ = at;
  } else {
    (items_[up].left == down ? items_[up].left : items_[up].right) = at;
  }
  Update(down);
  Update(at);
}

}  // namespace coppice::search
