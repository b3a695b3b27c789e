// Which attempts are told of where not all can be: in turn the fastest, the
// newest, the newest of each technique, and whatever else is new.
#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "store/records/ids.h"

namespace coppice::store {
struct Tried;
}

namespace coppice::engine {

// At most so many, none of them `known`, the most telling first.  A technique
// is what stands before its arguments: "tile" of "tile(i, 8)".
std::vector<NodeId> MostTelling(const store::Tried& tried,
                                std::set<NodeId> known, std::size_t most);

}  // namespace coppice::engine
