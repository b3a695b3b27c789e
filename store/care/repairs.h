// What may be wrong with a file where the rest of it tells what is right.
// Private to this folder.
#pragma once

#include <span>

namespace coppice::store {

struct RepairRule {
  const char* findings;  // Selects what is wrong, a line each, and whose.
  const char* sql;       // Statements, after which nothing of it is.
};

// In the order in which they are to be made.  First, calls that nobody will
// end: that they end is new.  Then what is added up from rows that are there.
std::span<const RepairRule> Endings();
std::span<const RepairRule> Recounts();

}  // namespace coppice::store
