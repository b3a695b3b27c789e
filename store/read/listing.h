// An answer in rows, for who shows it and does no sums with it.
#pragma once

#include <string>
#include <vector>

#include "store/read/query.h"

namespace coppice::store {

struct Listing {
  std::vector<std::string> columns;
  std::vector<std::vector<Value>> rows;  // Each as wide as that.
};

class Statement;

// Private to this folder.  All rows of a statement that is bound.
// REQUIRES: the caller is inside Connection::Read.
Listing ListingOf(Statement& statement);

}  // namespace coppice::store
