// May the iterations of a loop run in any order, or at once?
//
// The test is the obvious one.  It trusts that subscripts are row-major: a
// loop with the larger stride is taken to step over all that the loops within
// it reach.  The evaluator is there for kernels that break this trust.
#pragma once

#include <string>
#include <vector>

#include "agents/catalogue/poly.h"
#include "agents/catalogue/stmt.h"

namespace coppice::agents::catalogue {

// A scalar that the loop folds values into, and that nothing else in it uses.
struct Reduction {
  std::string scalar;
  std::string op;  // "+", "*", "max" or "min", as OpenMP names them.

  bool operator==(const Reduction&) const = default;
};

struct Independence {
  // Its iterations touch nothing of each other's, but for `reductions`.
  bool holds = false;
  std::vector<Reduction> reductions;
  std::string why_not;  // "`sum` carries a value from one iteration ..."

  bool Fully() const { return holds && reductions.empty(); }
};

// `definitions` are those of the whole kernel.  REQUIRES: a kFor.
Independence TestIndependence(const Stmt& loop, const Definitions& definitions);

// Empty if two loops, `inner` alone within `outer`, may change places, or be
// tiled; else why not.
std::string WhyNotExchanged(const Stmt& outer, const Stmt& inner,
                            const Definitions& definitions);

// The fold of `scalar` if the list uses it for nothing else.
std::vector<Reduction> ReductionsIn(const StmtList& list,
                                    const std::string& scalar);

// The value e of `s += e`, `s = s + e` or `s = max(s, e)`, with its operator.
struct Fold {
  std::string target;  // Printed.
  std::string op;
  Expr value;
};
std::vector<Fold> FoldOf(const Expr& expr);  // Empty or one.

// "0.0f", "1.0f", "-inf": what changes nothing, in the type of the scalar.
Expr NeutralValue(const std::string& op, const std::string& type);

// a + b, max(a, b), ... as an expression.
Expr Combine(const std::string& op, Expr left, Expr right);

}  // namespace coppice::agents::catalogue
