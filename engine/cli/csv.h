// Comma-separated values.
#pragma once

#include <string>
#include <vector>

namespace coppice::cli {

// With its newline.  RFC 4180, but that is a bare one.
std::string CsvLine(const std::vector<std::string>& fields);

}  // namespace coppice::cli
