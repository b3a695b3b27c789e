// The settings of a campaign that goes on.
#pragma once

#include <string>
#include <vector>

#include "config/load.h"
#include "config/settings.h"

namespace coppice::config {

// `now`, but where nothing was said of who the agents are, how they are
// reached, what they are shown and what they may cost, as it was when the
// campaign started: it may have come from a command line that nobody remembers.
// Whether they are a team never changes.  kCorrupt names a stored value that is
// none.
Result<Settings> Continue(const Loaded& now, const std::vector<Override>& then);

}  // namespace coppice::config
