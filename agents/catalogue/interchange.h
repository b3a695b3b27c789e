// interchange(i, j): the loop over j, alone within the loop over i, goes
// outside it.
#pragma once

#include "agents/catalogue/technique.h"

namespace coppice::agents::catalogue {

Outcome Interchange(const Site& site, const Stmt& outer,
                    const Technique& technique);

}  // namespace coppice::agents::catalogue
