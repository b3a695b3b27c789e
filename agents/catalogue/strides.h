// How the accesses of a loop nest move through memory with one loop variable.
#pragma once

#include <optional>
#include <string>

#include "agents/catalogue/effects.h"
#include "agents/catalogue/poly.h"
#include "agents/catalogue/stmt.h"

namespace coppice::agents::catalogue {

enum class Stride {
  kNone,   // The same element for every value of the variable.
  kUnit,   // Its neighbour.
  kOther,  // Further away, or nobody knows.
};

Stride StrideOf(const ArrayAccess& access, const std::string& variable,
                const Definitions& definitions);

// Counts over the accesses in the loop's body to arrays from outside it.
struct Strides {
  int none = 0;
  int unit = 0;
  int other = 0;
};
Strides StridesOf(const Stmt& loop, const Definitions& definitions);

// The loops of a nest that register blocking would jam: `columns`, whose
// iterations are neighbours in memory, and around it `rows`, whose iterations
// load the same vectors.  `path` leads from the nest's outermost loop to
// `columns`.
struct BlockLoops {
  const Stmt* columns = nullptr;
  const Stmt* rows = nullptr;  // Null if no outer loop is independent.
};
std::optional<BlockLoops> FindBlockLoops(const Stmt& nest,
                                         const Definitions& definitions);

// Does the list already hold strips of lanes?
bool HoldsStrips(const StmtList& list);

}  // namespace coppice::agents::catalogue
