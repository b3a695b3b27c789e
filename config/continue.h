// The settings of a campaign that goes on.
#pragma once

#include <vector>

#include "config/load.h"
#include "config/settings.h"

namespace coppice::config {

// False for a stored value that would run a command, send a key somewhere or
// write a file, unless `now` has it as well: whoever made the database is not
// who runs it.  REQUIRES: its key is one that a campaign keeps (kKept).
bool MayBeTaken(const Loaded& now, const Override& stored);

// `now`, but where nothing was said of what it keeps, as it was when the
// campaign started: it may have come from a command line that nobody remembers.
// What may not be taken is as it is now.  Whether they are a team never
// changes. kCorrupt names a stored value that is none.
Result<Settings> Continue(const Loaded& now, const std::vector<Override>& then);

// kUsage if that would make the campaign another: if its agents use a value
// that may not be taken, and nothing was said of it now.  To go on, the user
// says it again.
Result<void> CheckSaid(const Loaded& now, const std::vector<Override>& then);

// What the command line says of those that a database may not decide: whoever
// goes on has to say it again.
std::vector<Override> ToSayAgain(const Loaded& now);

}  // namespace coppice::config
