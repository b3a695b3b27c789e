// A program of ours in a session of its own.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "store/records/result.h"

namespace coppice::eval {

// The process has `descriptors` as 0, 1, 2, ... and no other, that environment
// and no other, and default signals.  Those that ask us to stop are blocked:
// until its session is its own the new process gets ours, too, and would die of
// them.  kUnavailable, in one line, if it cannot be executed.
Result<pid_t> Spawn(
    const std::string& executable, std::vector<std::string> arguments,
    const std::vector<std::pair<std::string, std::string>>& environment,
    const std::vector<int>& descriptors);

}  // namespace coppice::eval
