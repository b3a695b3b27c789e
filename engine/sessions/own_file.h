// Reading what an agent wrote into its folder, and nothing else: the agent is a
// stranger, and we can read more than it may.
#pragma once

#include <filesystem>
#include <string>

#include "store/records/result.h"

namespace coppice::sessions {

// A regular file of at most so many bytes, named from within `folder` or whole,
// which no symbolic link leads to.  kUsage says what is wrong with it.
Result<std::string> ReadOwnFile(const std::filesystem::path& folder,
                                const std::string& name, std::size_t most);

}  // namespace coppice::sessions
