// A copy for tools that know nothing of our texts: pandas, DuckDB, Datasette.
#pragma once

#include <filesystem>

#include "store/database.h"

namespace coppice::store {

// Writes a SQLite file with a table for each view of schema.sql, of the same
// name and columns, but with the text itself instead of each blob id: `source`
// for `source_blob`.  (`lineage` stays a view.)  One snapshot; `to` must not
// exist.
Result<void> ExportPlain(Database& database, const std::filesystem::path& to);

}  // namespace coppice::store
