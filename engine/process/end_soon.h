// The end of a process whose client waits no longer than this.  What is left
// undone then is safe: every stage of an attempt is durable.
#pragma once

#include <chrono>

namespace coppice::engine {

// In so long the process has ended, with 0 unless it has ended by itself.
void EndSoon(std::chrono::milliseconds patience);

}  // namespace coppice::engine
