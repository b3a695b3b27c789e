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

// What a stranger's question may take.
struct QueryLimits {
  std::int64_t rows = 0;   // After so many it ends, and `more` is set; 0: all.
  std::int64_t bytes = 0;  // Likewise, of all its values.
};

// Bytes that a value of a stranger's question may have: as many as the source
// of a kernel, and some more.  Functions of SQLite take time by the square of
// it, in which nobody can stop them.
inline constexpr int kMostOfAskedValue = 300'000;

// Runs one statement of somebody who is not trusted with more than reading: no
// pragma, and nothing that takes more than that.  Whether rows were left.
// kUsage: likewise, or a value or all of them are too large.
Result<bool> QueryWithin(Database& database, const std::string& sql,
                         const QueryLimits& limits, const RowSink& sink);

// Runs one statement.  kUsage, with SQLite's message, if it is not valid or
// would write.  Text blobs are readable through the SQL function
// blob_text(blob_id).
Result<void> Query(Database& database, const std::string& sql,
                   const RowSink& sink);

// What a statement's parameters stand for: {":node", 14}.  Those that it does
// not name are passed over.
using Parameters = std::map<std::string, Value, std::less<>>;

// An answer that fits into memory.
struct Sheet {
  std::vector<std::string> columns;
  std::vector<std::vector<Value>> rows;
  bool is_cut = false;
};

// Fills `sheet`, which outlives the sink, but for `is_cut`.
RowSink Into(Sheet& sheet);

// A statement of our own, with its parameters.  Errors: as of QueryWithin().
Result<Sheet> ReadSheet(Database& database, const std::string& sql,
                        const Parameters& parameters,
                        const QueryLimits& limits);

}  // namespace coppice::store
