#include "agents/catalogue/interchange.h"

#include <utility>

#include "agents/catalogue/dependence.h"
#include "agents/catalogue/pragmas.h"

namespace coppice::agents::catalogue {

Outcome Interchange(const Site& site, const Technique& technique) {
  Rewritten result{site.span, {}};
  const Stmt* outer = FindLoop(result.span, technique.Arg(0));
  if (outer == nullptr) return NoReason("there is no such loop here");
  const Stmt* inner = PerfectlyNested(*outer);
  if (inner == nullptr || inner->name != technique.Arg(1)) {
    return NoReason("that loop is not alone within it");
  }
  if (!outer->pragmas.empty() || !inner->pragmas.empty()) {
    return NoReason("a pragma speaks of the order");
  }
  const Independence of_outer = TestIndependence(*outer, site.definitions);
  const Independence of_inner = TestIndependence(*inner, site.definitions);
  if (!of_outer.Fully() && !of_inner.Fully()) {
    return NoReason(of_outer.why_not + of_inner.why_not);
  }
  Stmt new_inner = *outer;
  new_inner.body = inner->body;
  Stmt new_outer = *inner;
  new_outer.body = {std::move(new_inner)};
  ReplaceLoop(result.span, technique.Arg(0), {std::move(new_outer)});
  return result;
}

}  // namespace coppice::agents::catalogue
