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

// False for a stored value that would run a command, send a key somewhere or
// write a file, unless `now` has it as well: whoever made the database is not
// who runs it.  REQUIRES: its key is one of KeptKeys().
bool MayBeTaken(const Loaded& now, const Override& stored);

// `now`, but where nothing was said of those, as it was when the campaign
// started: it may have come from a command line that nobody remembers.  What
// may not be taken is as it is now.  Whether they are a team never changes.
// kCorrupt names a stored value that is none.
Result<Settings> Continue(const Loaded& now, const std::vector<Override>& then);

// kUsage if that would make the campaign another: if its agents use a value
// that may not be taken, and nothing was said of it now.  To go on, the user
// says it again.
Result<void> CheckSaid(const Loaded& now, const std::vector<Override>& then);

}  // namespace coppice::config
