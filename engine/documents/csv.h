// Comma-separated values.
#pragma once

#include <string>
#include <vector>

#include "store/read/query.h"

namespace coppice::cli {

// Enough digits to get the number back.
std::string CsvNumber(double number);

// The texts of a row: numbers with enough digits, NULL as nothing.
std::vector<std::string> CsvFields(const std::vector<store::Value>& row);

// A line with its newline.  It is RFC 4180's, but that the newline is a bare
// one.
std::string CsvLine(const std::vector<std::string>& fields);

}  // namespace coppice::cli
