// Reads a settings file: `key = value` lines.  Blank lines are skipped, and
// what follows a # that starts a line or follows a space.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "store/records/result.h"

namespace coppice::config {

struct Line {
  int number = 0;  // From 1.
  std::string key;
  std::string value;
};

// kNotFound if there is no such file; kUsage names file and line of one that
// is no assignment, or that sets a key again.
Result<std::vector<Line>> ReadFile(const std::filesystem::path& path);

}  // namespace coppice::config
