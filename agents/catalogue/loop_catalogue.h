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

}  // namespace coppice::agents::catalogue
