// Recipes: well-tried compositions of techniques, done in one move.
//
// register_block(v, rows, columns)  for a nest like a matrix product or a
//     convolution: pads what is guarded, packs what is read across, jams the
//     columns, then the rows, by at most those numbers, as they fit the
//     workloads; a nest that only folds along memory and cannot be packed gets
//     accumulators, then both jams.
// rowwise(v, width)                 for passes over rows, such as a softmax:
//     inline mathematics, accumulators for every fold, vector code for the
//     rest.
#pragma once

#include "agents/catalogue/technique.h"

namespace coppice::agents::catalogue {

Outcome RegisterBlock(const Site& site, const Stmt& loop,
                      const Technique& technique);
Outcome Rowwise(const Site& site, const Stmt& loop, const Technique& technique);

// The two outermost independent loops of a nest that folds along unit
// strides, such as A * B^T; empty names if it is none.
struct DotLoops {
  std::string rows, columns, fold;
};
DotLoops FindDotLoops(const Stmt& nest, const Definitions& definitions);

}  // namespace coppice::agents::catalogue
