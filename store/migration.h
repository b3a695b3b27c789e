// Brings an older file forward to this program's format.
//
// Steps change tables only.  Views hold no data: a step drops them all, and the
// last step makes those of schema.sql.  It seals all rows anew, too, so that
// damage from before is not found any more.
//
// Who only looks at an older file does not wait for that, and does not change
// the file: each step can say how the tables of its format are to be had from
// those before it, and temporary views stand in for them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "store/records/result.h"

namespace coppice::store {

class Connection;

// One step forward, in SQL.  Steps are numbered without gaps and never edited
// once released; a file of format n takes steps n + 1, n + 2, ...
struct Migration {
  // A table as this format has it: a SELECT in which `before.x` is the table x
  // of the format before.
  struct Reading {
    const char* table;
    const char* select;
  };

  std::int64_t to_version;
  const char* sql;
  // How the tables that it changes or adds are read before it.  Unset: files of
  // the format before cannot be read without taking the step.
  std::optional<std::span<const Reading>> readings{};
};

// All steps since format 1.  Files are created in the newest format at once.
std::span<const Migration> Migrations();

// Each step is one transaction: a crash leaves the file at a whole format, and
// the next opening goes on.  A step that leaves a broken reference is undone.
Result<void> Migrate(Connection& connection, std::span<const Migration> steps);

// Has the connection read its file as if the steps had been taken.  kUsage if a
// step that it takes has no readings.
Result<void> ReadForward(Connection& connection,
                         std::span<const Migration> steps);

}  // namespace coppice::store
