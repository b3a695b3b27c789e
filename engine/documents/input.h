// Reads what a verb is given to read: a kernel, a question in SQL, traces.
#pragma once

#include <iosfwd>
#include <string>

#include "store/records/result.h"

namespace coppice::cli {

// Reads all of `in`, which errors call `name`. kUsage if it cannot be read or
// has more than 16 MiB.
Result<std::string> ReadAll(std::istream& in, const std::string& name);

// The same of a file; the error says why it cannot be read.
Result<std::string> ReadFile(const std::string& path);

// Makes a mistake in the user's own file one of theirs.
template <class Value>
Result<Value> AsUsage(Result<Value> parsed) {
  if (parsed || parsed.error().code != Errc::kCorrupt) return parsed;
  return Fail(Errc::kUsage, parsed.error().what);
}

}  // namespace coppice::cli
