// How a difference (store/records/unified_diff.h) is shown to people.
#pragma once

#include <string>

#include "engine/documents/verb.h"

namespace coppice::cli {

// Prints it; on a terminal in colour, without control characters.
void PrintDiff(const std::string& diff, Streams& streams);

}  // namespace coppice::cli
