// A folder that is its process's own while that lives: whoever can lock what
// another made knows that its maker is gone.
#pragma once

#include <filesystem>

#include "eval/host/unique_fd.h"

namespace coppice::eval {

// Not valid if somebody has it, or there is no such folder.  Given back when
// the descriptor is closed, as the kernel does for who is killed.
UniqueFd LockFolder(const std::filesystem::path& folder);

}  // namespace coppice::eval
