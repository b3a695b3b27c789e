// interchange(i, j): the loop over j, alone within the loop over i, goes
// outside it.
#include <utility>

#include "agents/catalogue/dependence.h"
#include "agents/catalogue/loop_catalogue.h"
#include "agents/catalogue/pragmas.h"

namespace coppice::agents::catalogue {

Outcome Interchange(const Site& site, const Stmt& outer,
                    const Technique& technique) {
  const Stmt* inner = PerfectlyNested(outer);
  if (inner == nullptr || inner->name != technique.Arg(1)) {
    return NoReason("that loop is not alone within it");
  }
  if (!outer.pragmas.empty() || !inner->pragmas.empty()) {
    return NoReason("a pragma speaks of the order");
  }
  if (auto why = WhyNotExchanged(outer, *inner, site.definitions);
      !why.empty()) {
    return NoReason(std::move(why));
  }
  Stmt new_inner = outer;
  new_inner.body = inner->body;
  Stmt new_outer = *inner;
  new_outer.body = {std::move(new_inner)};
  return WithLoop(site, outer.name, {std::move(new_outer)});
}

}  // namespace coppice::agents::catalogue
