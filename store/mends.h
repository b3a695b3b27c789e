// What may be wrong with a file where the rest of it tells what is right.
// Private to this folder.
#pragma once

#include <span>

namespace coppice::store {

struct Mend {
  const char* findings;  // Selects what is wrong, a line each, and whose.
  const char* sql;       // Statements, after which nothing of it is.
};

// In the order in which they are to be made.
std::span<const Mend> Mends();

}  // namespace coppice::store
