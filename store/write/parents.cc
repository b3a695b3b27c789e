#include "store/write/parents.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include "store/connection.h"
#include "store/named.h"

namespace coppice::store {

void ThrowDamage(const std::string& what) {
  throw SQLite::Exception(what, SQLITE_CORRUPT);
}

std::optional<NodeId> ParentAt(const Statement& row, int column, NodeId node) {
  const std::string name = Named(node);
  if (row.IsNull(column)) {
    if (node != kRootNode) ThrowDamage(name + " has no parent");
    return std::nullopt;
  }
  const auto parent = row.As<NodeId>(column);
  if (Index(parent) < 0 || parent >= node) {
    ThrowDamage(name + " has parent " + std::to_string(Index(parent)) +
                ", which is no lower number");
  }
  return parent;
}

std::optional<NodeId> ParentOf(Connection& connection, CampaignId campaign,
                               NodeId node) {
  Statement read = connection.Prepare(
      "SELECT parent_number FROM node WHERE campaign_id = ? AND number = ?");
  if (!read.Bind(campaign, node).Step()) return std::nullopt;
  return ParentAt(read, 0, node);
}

}  // namespace coppice::store
