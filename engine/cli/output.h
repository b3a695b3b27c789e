// Writes what a verb is told to write into files.
#pragma once

#include <filesystem>
#include <string_view>

#include "store/records/result.h"

namespace coppice::cli {

struct RowSheet;

// With those above it.  kIo says which cannot be, and why.
Result<void> MakeDirectory(const std::filesystem::path& path);

// In place of what is there, which stays as it was if not all of it could be:
// then kIo, with the name.  kUsage if a database is there.
Result<void> WriteFile(const std::filesystem::path& path,
                       std::string_view text);

// Into a directory that exists, as NAME.csv.
Result<void> WriteCsv(const RowSheet& sheet,
                      const std::filesystem::path& directory);

}  // namespace coppice::cli
