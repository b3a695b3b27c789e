// Random trees, for tests that hold an index to a plain scan.
#pragma once

#include <cstdint>

#include "search/text_tree.h"
#include "store/records/random.h"

namespace coppice::search {

// Uniform in [0, n).
std::int64_t Draw(RandomStream& stream, std::int64_t n);

// Up to 60 nodes, in which ties, failures, repeated sources, deep chains, bushy
// roots and dead branches are all common, and up to 4 attempts in flight.
TextTree RandomTree(RandomStream& stream);

}  // namespace coppice::search
