// Read-only SQL over the file's views, for `coppice sql`.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
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

// What a statement's parameters stand for: {":node", 14}.  Those that it does
// not name are passed over.
using Parameters = std::map<std::string, Value, std::less<>>;

// For questions that nobody here has thought about before.
struct SheetLimits {
  std::int64_t rows = 0;  // Beyond these it is cut; 0: none are.
  // Asked every few thousand steps; once it says yes, the query ends with
  // kTimeout.  May be null.
  std::function<bool()> is_over{};
};

// An answer that fits into memory.
struct Sheet {
  std::vector<std::string> columns;
  std::vector<std::vector<Value>> rows;
  bool is_cut = false;
};

// As Query().  No value of it is longer than 64 MiB.
Result<Sheet> ReadSheet(Database& database, const std::string& sql,
                        const Parameters& parameters,
                        const SheetLimits& limits);

}  // namespace coppice::store
