// tile(i, j, rows, columns): two nested loops visit small rectangles, so that
// what one rectangle touches stays in the cache.
// block(v, size): the loop is cut into blocks of `size` iterations; with it,
// an outer loop can be moved inside.
#pragma once

#include "agents/catalogue/technique.h"

namespace coppice::agents::catalogue {

Outcome Tile(const Site& site, const Stmt& outer, const Technique& technique);
Outcome Block(const Site& site, const Stmt& loop, const Technique& technique);

}  // namespace coppice::agents::catalogue
