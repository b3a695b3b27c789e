// Reads what a verb is given to read: a kernel, a question in SQL.
#pragma once

#include <iosfwd>
#include <string>

#include "store/records/result.h"

namespace coppice::cli {

// All of `in`, which errors call `name`.  kUsage if it cannot be read, as a
// directory, whose opening succeeds, or has more than 16 MiB.
Result<std::string> ReadAll(std::istream& in, const std::string& name);

}  // namespace coppice::cli
