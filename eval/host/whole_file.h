// Reads and writes a file at once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>

#include "eval/host/unique_fd.h"
#include "store/records/result.h"

namespace coppice::eval {

// Opens it for reading; kIo, and why, if that cannot be.
Result<UniqueFd> OpenToRead(const std::filesystem::path& path);

// kIo, and why, if it is no regular file or cannot be read; kCorrupt if it has
// more than `most_bytes`.
Result<std::string> ReadWhole(
    const std::filesystem::path& path,
    std::uintmax_t most_bytes = std::numeric_limits<std::uintmax_t>::max());

// Replaces what was there.  kFull if there is no room for it; then, as after
// any Error, a part of it may be there.
Result<void> WriteWhole(const std::filesystem::path& path,
                        std::string_view bytes);

}  // namespace coppice::eval
