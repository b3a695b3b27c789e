// The catalogue for loops on a CPU: every technique by its name.
//
// A star for the loop's name means every loop of the span where it applies,
// outer loops first: "accumulate(*, 64)".
#pragma once

#include <string>
#include <vector>

#include "agents/catalogue/anchors.h"
#include "agents/catalogue/technique.h"

namespace coppice::agents::catalogue {

// One technique on the site's span.
Outcome Apply(const Site& site, const Technique& technique);

// The techniques in order, applied to the statements on the lines of `source`:
// the whole new source, with helpers and headers that it needs.  Or why not.
tl::expected<std::string, std::string> RewriteLoops(
    const std::string& source, Lines span,
    const std::vector<Technique>& techniques, const Setting& setting);

// What these techniques do is said where they are written.
Outcome Accumulate(const Site& site, const Stmt& loop,
                   const Technique& technique);
Outcome Alternate(const Site& site, const Stmt& time, const Technique&);
Outcome ByteProduct(const Site& site, const Stmt& loop,
                    const Technique& technique);
Outcome Hoist(const Site& site, const Stmt& loop, const Technique&);
Outcome Promote(const Site& site, const Stmt& loop, const Technique&);
Outcome Interchange(const Site& site, const Stmt& outer,
                    const Technique& technique);
Outcome Interior(const Site& site, const Stmt& loop, const Technique&);
Outcome CheaperMath(const Site& site, const Technique& technique);
Outcome Restrict(const Site& site, const Technique& technique);
Outcome Separate(const Site& site, const Technique& technique);
Outcome Slide(const Site& site, const Technique& technique);
Outcome Tile(const Site& site, const Stmt& outer, const Technique& technique);
Outcome Block(const Site& site, const Stmt& loop, const Technique& technique);
Outcome Wavefront(const Site& site, const Technique& technique);

}  // namespace coppice::agents::catalogue
