// Files that the program `zstd` made.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "store/records/result.h"

namespace coppice::store {

// The text of such a file, given its bytes; kCorrupt if it is damaged, cut off
// or has more than `limit` bytes of text.
Result<std::string> DecompressFile(std::string_view bytes, std::size_t limit);

}  // namespace coppice::store
