// Ctrl-C and SIGTERM.  The first asks for a drain: the attempt under way is
// committed and no further one begins.  The second ends the process at once:
// that is safe at any moment, since every stage is durable and the sandboxes
// die with their parent.
#pragma once

#include <atomic>

namespace coppice::engine {

// Installs the handlers, once, and ignores SIGPIPE.  The flag is the process's;
// it is set by the first signal.
const std::atomic<bool>& WatchInterrupts();

// Undoes it, for work of which nothing is kept: the first signal ends us.
void LeaveInterrupts();

}  // namespace coppice::engine
