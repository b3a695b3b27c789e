// Brings an older file forward to this program's format.
//
// Steps change tables only.  Views hold no data: a step drops them all, and the
// last step makes those of schema.sql.
#pragma once

#include <cstdint>
#include <span>

#include "store/records/result.h"

namespace coppice::store {

class Connection;

// One step forward, in SQL.  Steps are numbered without gaps and never edited
// once released; a file of format n takes steps n + 1, n + 2, ...
struct Migration {
  std::int64_t to_version;
  const char* sql;
};

// All steps since format 1.  Files are created in the newest format at once.
std::span<const Migration> Migrations();

// Each step is one transaction: a crash leaves the file at a whole format, and
// the next opening goes on.  A step that leaves a broken reference is undone.
Result<void> Migrate(Connection& connection, std::span<const Migration> steps);

}  // namespace coppice::store
