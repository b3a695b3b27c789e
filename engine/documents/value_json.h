// Rows of the database, for programs and for people.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "store/read/query.h"

namespace coppice::cli {

struct Streams;

nlohmann::ordered_json ValueJson(const store::Value& value);

using ValueRow = std::vector<store::Value>;

// An object with a member for each column.
nlohmann::ordered_json ValuesJson(const std::vector<std::string>& columns,
                                  const ValueRow& row);

// A table in which columns without texts stand on the right; `texts` makes the
// cells of a row.
void PrintValues(const store::Sheet& sheet,
                 std::vector<std::string> (*texts)(const ValueRow& row),
                 Streams& streams);

}  // namespace coppice::cli
