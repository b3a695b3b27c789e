// The settings of a campaign that goes on.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/load.h"
#include "config/settings.h"

namespace coppice::config {

// Settings of who the agents are, how they are reached, what they are shown and
// what they may cost.
std::span<const std::string_view> KeptKeys();

// `now`, but where nothing was said of those, as it was when the campaign
// started: it may have come from a command line that nobody remembers.  Whether
// they are a team never changes.  kCorrupt names a stored value that is none.
Result<Settings> Continue(const Loaded& now, const std::vector<Override>& then);

}  // namespace coppice::config
