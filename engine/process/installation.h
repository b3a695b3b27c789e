// Where the program's own files are: beside it in a build tree, or in share/
// and libexec/ of the prefix it was installed to.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "store/records/result.h"

namespace coppice::engine {

struct Installation {
  std::filesystem::path data;    // Has cpu/ and prompts/.
  std::filesystem::path runner;  // Runs candidates in the sandbox.
  // Pages of Markdown.  A program may be installed without them.
  std::filesystem::path documents{};
};

// The installation of the program at `executable`. kUnavailable, with what to
// do, if its files are not there.
Result<Installation> FindInstallation(const std::filesystem::path& executable);

// The Python of tasks that are in it: the one that is named, or that which
// scripts/setup has made beside the build of `runner`, or else "python3".
std::string PythonFor(const std::optional<std::string>& named,
                      const std::filesystem::path& runner);

// The same for the running program.
std::string PythonHere(const std::optional<std::string>& named);

// The executable of the running process.
std::filesystem::path ExecutablePath();

}  // namespace coppice::engine
