#include "store/migration.h"

#include <string>

#include "store/connection.h"

namespace coppice::store {
namespace {

Result<void> Apply(Connection& connection, const Migration& step) {
  return connection.Write([&]() -> Result<void> {
    SQLite::Database& sqlite = connection.sqlite();
    // Another process may have been here since we looked.
    const std::int64_t version =
        sqlite.execAndGet("PRAGMA user_version").getInt64();
    if (version >= step.to_version) return {};
    const std::string name =
        "the migration to format " + std::to_string(step.to_version);
    if (version != step.to_version - 1) {
      return connection.FailHere(
          Errc::kCorrupt,
          name + " does not apply to format " + std::to_string(version));
    }
    sqlite.exec(step.sql);
    if (SQLite::Statement(sqlite, "PRAGMA foreign_key_check").executeStep()) {
      return connection.FailHere(Errc::kCorrupt,
                                 name + " would break a reference");
    }
    sqlite.exec("PRAGMA user_version = " + std::to_string(step.to_version));
    return {};
  });
}

}  // namespace

std::span<const Migration> Migrations() {
  return {};  // Format 1 is the first.
}

Result<void> Migrate(Connection& connection, std::span<const Migration> steps) {
  for (const Migration& step : steps) TRY_DONE(Apply(connection, step));
  return {};
}

}  // namespace coppice::store
