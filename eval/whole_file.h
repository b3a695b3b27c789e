// Reads a file at once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>

#include "store/records/result.h"

namespace coppice::eval {

// kIo, and why, if it is no regular file or cannot be read; kCorrupt if it has
// more than `most_bytes`.
Result<std::string> ReadWhole(
    const std::filesystem::path& path,
    std::uintmax_t most_bytes = std::numeric_limits<std::uintmax_t>::max());

}  // namespace coppice::eval
