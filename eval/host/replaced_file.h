// A file that others may read, or replace, at the same time.
#pragma once

#include <filesystem>
#include <string_view>

#include "store/records/result.h"

namespace coppice::eval {

// Whoever opens `path` finds all of `bytes` or all of what was there before.
// Its folder is made if it is not there.  After an Error it is as before.  It
// outlives this process, but the machine may lose it: it is for what can be
// made anew.
Result<void> ReplaceWhole(const std::filesystem::path& path,
                          std::string_view bytes);

}  // namespace coppice::eval
