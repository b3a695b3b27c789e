// Comma-separated values.
#pragma once

#include <string>
#include <vector>

namespace coppice::cli {

// Enough digits to get the number back.
std::string CsvNumber(double number);

// With its newline.  RFC 4180, but that is a bare one.
std::string CsvLine(const std::vector<std::string>& fields);

}  // namespace coppice::cli
