// Writes what a verb is told to write into a file.
#pragma once

#include <filesystem>
#include <string_view>

#include "store/records/result.h"

namespace coppice::cli {

// In place of what is there, which stays as it was if not all of it could be:
// then kIo, with the name.  kUsage if a database is there.
Result<void> WriteFile(const std::filesystem::path& path,
                       std::string_view text);

}  // namespace coppice::cli
