#include "store/newest_tried.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "store/connection.h"

namespace coppice::store {
namespace {

// The last of those between two numbers, the last first.
std::vector<TriedNode> ReadBetween(Connection& connection, CampaignId campaign,
                                   NodeId after, NodeId before,
                                   std::size_t most) {
  return connection.Rows(
      "SELECT n.number, coalesce(p.technique, '') FROM node n"
      " LEFT JOIN plan p USING (plan_id) WHERE n.campaign_id = ?1"
      " AND n.number > ?2 AND n.number < ?3 ORDER BY n.number DESC LIMIT ?4",
      [](const Statement& read) {
        return TriedNode{read.As<NodeId>(0), read.Text(1)};
      },
      campaign, after, before, most);
}

}  // namespace

std::vector<TriedNode> NewestTried::Below(CampaignId campaign, NodeId before,
                                          std::size_t most) {
  const auto count = [&] {
    const auto end =
        std::ranges::lower_bound(nodes_, before, {}, &TriedNode::node);
    return static_cast<std::size_t>(end - nodes_.begin());
  };
  if (campaign != campaign_) nodes_.clear();
  campaign_ = campaign;
  ReadOn(before, most);
  const bool has_all =
      count() >= most || nodes_.empty() || nodes_.front().node == NodeId{1};
  if (!has_all) {
    nodes_.clear();
    ReadOn(before, most);
  }
  const auto end = nodes_.begin() + static_cast<std::ptrdiff_t>(count());
  const auto size = static_cast<std::ptrdiff_t>(std::min(most, count()));
  return {std::make_reverse_iterator(end),
          std::make_reverse_iterator(end - size)};
}

// What is kept ends at `before` then, or at the last node.
void NewestTried::ReadOn(NodeId before, std::size_t most) {
  const auto last = [&] {
    return nodes_.empty() ? kRootNode : nodes_.back().node;
  };
  const auto missing = static_cast<std::size_t>(
      std::max<std::int64_t>(Index(before) - Index(last()) - 1, 0));
  if (missing == 0) return;
  if (missing > most) nodes_.clear();  // There would be a gap.
  auto later = ReadBetween(connection_, campaign_, last(), before, most);
  nodes_.insert(nodes_.end(), std::make_move_iterator(later.rbegin()),
                std::make_move_iterator(later.rend()));
  if (nodes_.size() > 2 * most) {
    nodes_.erase(nodes_.begin(),
                 nodes_.end() - static_cast<std::ptrdiff_t>(most));
  }
}

}  // namespace coppice::store
