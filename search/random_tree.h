// Random trees, for tests that hold an index to a plain scan.
#pragma once

#include <cstdint>
#include <memory>

#include "search/text_tree.h"
#include "search/tree.h"
#include "search/tree_index.h"
#include "store/records/random.h"

namespace coppice::search {

// Uniform in [0, n).
std::int64_t Draw(RandomStream& stream, std::int64_t n);

// Up to 60 nodes, in which ties, failures, repeated sources, deep chains, bushy
// roots and dead branches are all common, and up to 4 attempts in flight.
TextTree RandomTree(RandomStream& stream);

// Such a tree, but with about half of its nodes below the root, which makes a
// crowd of them (indexes/wide_children.h).
TextTree BushyTree(RandomStream& stream);

// The tree of this text as a campaign comes to it: attempts begin and end
// between its nodes, some of them without a node.
Tree GrowTree(const TextTree& text, std::unique_ptr<TreeIndex> index,
              RandomStream& stream);

}  // namespace coppice::search
