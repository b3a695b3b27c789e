// Where the program's own files are: beside it in a build tree, or in share/
// and libexec/ of the prefix it was installed to.
#pragma once

#include <filesystem>

#include "store/records/result.h"

namespace coppice::engine {

struct Installation {
  std::filesystem::path data;    // Has cpu/ and prompts/.
  std::filesystem::path runner;  // Runs candidates in the sandbox.
};

// For the program at `executable`.  kUnavailable, with what to do, if its files
// are not there.
Result<Installation> FindInstallation(const std::filesystem::path& executable);

// Of the running process.
std::filesystem::path ExecutablePath();

}  // namespace coppice::engine
