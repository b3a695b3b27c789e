#include "search/arg_min.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

namespace coppice::search {
namespace {

constexpr double kAbsent = std::numeric_limits<double>::infinity();
constexpr std::size_t kSmallest = 2;  // So that match 1 exists.

}  // namespace

void ArgMin::Set(NodeId id, double key) {
  assert(std::isfinite(key));
  const auto i = static_cast<std::size_t>(Index(id));
  Grow(i + 1);
  keys_[i] = key;
  Replay(i);
}

void ArgMin::Erase(NodeId id) {
  const auto i = static_cast<std::size_t>(Index(id));
  if (i >= keys_.size() || keys_[i] == kAbsent) return;
  keys_[i] = kAbsent;
  Replay(i);
}

std::optional<NodeId> ArgMin::Top() const {
  if (keys_.empty() || keys_[winners_[1]] == kAbsent) return std::nullopt;
  return NodeId{winners_[1]};
}

void ArgMin::Grow(std::size_t ids) {
  if (ids <= keys_.size()) return;
  const std::size_t size = std::max(std::bit_ceil(ids), kSmallest);
  keys_.resize(size, kAbsent);
  winners_.assign(size, 0);
  for (std::size_t match = size - 1; match > 0; --match) {
    winners_[match] = Decide(match);
  }
}

void ArgMin::Replay(std::size_t id) {
  for (std::size_t match = (keys_.size() + id) / 2; match > 0; match /= 2) {
    const std::uint32_t before = winners_[match];
    const std::uint32_t after = Decide(match);
    winners_[match] = after;
    // Neither won nor lost here: later matches do not see the change.
    if (before != id && after != id) return;
  }
}

// Entrants are numbered like matches of the round before the first.
std::uint32_t ArgMin::Winner(std::size_t match) const {
  return match < keys_.size()
             ? winners_[match]
             : static_cast<std::uint32_t>(match - keys_.size());
}

std::uint32_t ArgMin::Decide(std::size_t match) const {
  const std::uint32_t left = Winner(2 * match);
  const std::uint32_t right = Winner(2 * match + 1);
  return keys_[right] < keys_[left] ? right : left;
}

}  // namespace coppice::search
