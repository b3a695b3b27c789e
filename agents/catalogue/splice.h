// Puts a rewritten span back into the source's text.
#pragma once

#include <string>

#include "agents/catalogue/anchors.h"
#include "agents/catalogue/kernel.h"
#include "agents/catalogue/technique.h"

namespace coppice::agents::catalogue {

// Replaces the lines by the statements, adds helpers that are not there yet
// above the entry, and the headers that the new text needs.  `span` becomes
// the lines where the new statements stand.
std::string Splice(const Kernel& kernel, Lines& span,
                   const Rewritten& rewritten);

}  // namespace coppice::agents::catalogue
