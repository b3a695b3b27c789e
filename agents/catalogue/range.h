// How far a subscript can reach when the loops around it run.
#pragma once

#include <optional>
#include <vector>

#include "agents/catalogue/poly.h"
#include "agents/catalogue/stmt.h"

namespace coppice::agents::catalogue {

// Both ends included.
struct Range {
  Poly low;
  Poly high;
};

// The range of `poly` over `loops`, outermost first; each loop's variable
// must occur with a slope that is a constant or a product of sizes, which are
// taken to be positive.
std::optional<Range> RangeOf(const Poly& poly,
                             const std::vector<const Stmt*>& loops,
                             const Definitions& definitions);

// As an expression again; names in the order of the monomials.
Expr ToExpr(const Poly& poly);

}  // namespace coppice::agents::catalogue
