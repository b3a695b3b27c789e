// A seal does not only tell that a row of its block has changed: it tells apart
// what the row was from whatever else it may have been.  So a single bit that
// has flipped is found by flipping each, until the seal holds.
#pragma once

#include <string>
#include <vector>

#include "store/seals.h"

namespace coppice::store {

class Connection;

// Puts back what single bits have changed, in blocks that differ from their
// seals, and takes these off `differences`.  A line for each of what was wrong.
// Blocks of long texts are left alone where that would take minutes.
//
// REQUIRES: in a transaction, with nothing pending in the seals.
std::vector<std::string> PutBackFlippedBits(Connection& connection,
                                            Sums& differences);

}  // namespace coppice::store
