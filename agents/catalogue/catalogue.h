// The catalogue: every technique by its name.
//
// A label may join several, done in order: "jam(j, 32) + jam(i, 6)".  A star
// for the loop's name means every loop of the span where it applies, outer
// loops first: "accumulate(*, 64)".  "again + ..." does the steps after it to
// the whole body of the root's source.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agents/catalogue/technique.h"

namespace coppice::agents::catalogue {

using coppice::kFromRoot;
using coppice::ParseLabel;

bool IsKnown(const Technique& technique);

// One technique on the site's span, for CPUs.
Outcome Apply(const Site& site, const Technique& technique);

// The label applied to the statements on lines first..last of `source`: the
// whole new source, with helpers and headers that it needs.  Or why not.  In a
// source for a device, techniques name their kernel, whatever the lines.
tl::expected<std::string, std::string> RewriteSpan(const std::string& source,
                                                   int first, int last,
                                                   std::string_view label,
                                                   const Setting& setting);

}  // namespace coppice::agents::catalogue
