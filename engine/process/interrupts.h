// Ctrl-C, SIGTERM and, unless it is ignored as under nohup(1), SIGHUP of a
// terminal that is closed.  The first asks for a drain: calls to models are
// given up within a second, candidates that are written are measured and
// committed, and nothing further begins.  The second ends the process at once:
// that is safe at any moment, since every stage is durable, the sandboxes die
// with their parent, and commands that are agents are killed before it.
#pragma once

#include <atomic>

namespace coppice::engine {

// Installs the handlers, once, and ignores SIGPIPE.  The flag is the process's;
// it is set by the first signal.
const std::atomic<bool>& WatchInterrupts();

// Whether one came.
bool WasInterrupted();

// Undoes it, for work of which nothing is kept: the first signal ends us.
void LeaveInterrupts();

}  // namespace coppice::engine
