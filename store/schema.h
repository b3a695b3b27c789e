// The file format.  schema.sql is its document, and is built into the program.
#pragma once

#include <cstdint>
#include <string_view>

namespace coppice::store {

// Creates a file of the newest format in an empty database, and marks it.
extern const char* const kSchemaSql;

// Has a connection keep the sums of the file, as long as it is open:
// summary_tables.sql.
extern const char* const kKeptSql;

// Leaves out of sqlite_schema the planner's statistics, which SQLite makes
// itself, and which come and go.
inline constexpr std::string_view kIsNoStatistics =
    "(type = 'table' AND tbl_name = name AND (name, sql) IN (VALUES"
    " ('sqlite_stat1', 'CREATE TABLE sqlite_stat1(tbl,idx,stat)'),"
    " ('sqlite_stat4',"
    " 'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)')))"
    " IS NOT TRUE";

// The second half of the schema: all views.  They hold no data, so a migration
// drops them and makes those of the newest format.
std::string_view ViewsSql();

inline constexpr std::int64_t kFormatVersion = 1;  // PRAGMA user_version.
inline constexpr std::int64_t kFirstFormatVersion = 1;
inline constexpr std::int64_t kApplicationId = 0x636f7070;  // "copp".
// Files that were written before format 1 have it, and nothing reads them.
inline constexpr std::int64_t kEarlierApplicationId = 0x436f7070;  // "Copp".

}  // namespace coppice::store
