// The files of a trace set: found by their ending anywhere below a folder.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "eval/formats/json_cursor.h"
#include "store/records/result.h"

namespace coppice::eval {

// Regular files below root/folder that end so, sorted by path.  None if there
// is no such folder.
Result<std::vector<std::filesystem::path>> FilesBelow(
    const std::filesystem::path& root, const std::string& folder,
    const std::string& extension);

// A file's JSON, for cursors to point into.  kCorrupt beyond 256 MiB.
Result<Json> ReadJson(const std::filesystem::path& path);

// Calls `use` with every line that is not blank; names it "file:number".
Result<void> ForEachLine(const std::filesystem::path& file,
                         const std::function<Result<void>(const Cursor&)>& use);

// REQUIRES: both are regular files.
Result<bool> SameBytes(const std::filesystem::path& a,
                       const std::filesystem::path& b);

}  // namespace coppice::eval
