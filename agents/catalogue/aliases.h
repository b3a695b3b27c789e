// Pointers and references that a kernel declares in front of a loop, which may
// lead where another name of the loop leads.  Those that are declared in what
// is looked at are seen through (effects.h).
#pragma once

#include <string>

#include "agents/catalogue/stmt.h"

namespace coppice::agents::catalogue {

// "`row` and `c` may be one", of two names that the list uses and of which it
// writes one; empty if there are none.  `body`: of the whole kernel.
std::string TwoNamesOfOne(const StmtList& body, const StmtList& list);

}  // namespace coppice::agents::catalogue
