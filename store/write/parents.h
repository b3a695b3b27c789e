// Parents as rows have them.  A parent has the lower number, so that who goes
// from parent to parent comes to the root; a damaged file may say otherwise.
// Private to this folder.
//
// REQUIRES: the caller is inside Connection::Read or Write, which makes
// kCorrupt of what is thrown here.
#pragma once

#include <optional>
#include <string>

#include "store/records/ids.h"

namespace coppice::store {

class Connection;
class Statement;

// Says that what a row says cannot be.
[[noreturn]] void ThrowDamage(const std::string& what);

// In a column of the row of `node`.  None: it is the root.
std::optional<NodeId> ParentAt(const Statement& row, int column, NodeId node);

// None: it is the root, or is missing.
std::optional<NodeId> ParentOf(Connection& connection, CampaignId campaign,
                               NodeId node);

}  // namespace coppice::store
