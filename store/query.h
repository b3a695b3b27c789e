// Read-only SQL over the file's views, for `coppice sql`.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "store/database.h"

namespace coppice::store {

using Value = std::variant<std::monostate, std::int64_t, double, std::string>;

struct RowSink {
  std::function<void(const std::vector<std::string>& columns)> header;
  std::function<void(const std::vector<Value>& row)> row;
};

// Runs one statement.  kUsage, with SQLite's message, if it is not valid or
// would write.  Text blobs are readable through the SQL function
// blob_text(blob_id).
Result<void> Query(Database& database, const std::string& sql,
                   const RowSink& sink);

}  // namespace coppice::store
