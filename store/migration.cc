#include "store/migration.h"

#include <string>
#include <vector>

#include "store/connection.h"
#include "store/schema.h"

namespace coppice::store {
namespace {

void DropViews(SQLite::Database& sqlite) {
  std::vector<std::string> names;
  {
    SQLite::Statement read(
        sqlite, "SELECT name FROM sqlite_schema WHERE type = 'view'");
    while (read.executeStep()) names.push_back(read.getColumn(0).getString());
  }
  for (const std::string& name : names) sqlite.exec("DROP VIEW " + name);
}

enum class IsLast { kNo, kYes };

// While they are not enforced, a table that others refer to can be made anew;
// that no step breaks one is checked at its end.  Of no effect in a
// transaction.
class UnenforcedReferences {
 public:
  explicit UnenforcedReferences(SQLite::Database& sqlite) : sqlite_(sqlite) {
    sqlite_.tryExec("PRAGMA foreign_keys = OFF");
  }
  ~UnenforcedReferences() { sqlite_.tryExec("PRAGMA foreign_keys = ON"); }
  UnenforcedReferences(const UnenforcedReferences&) = delete;
  UnenforcedReferences& operator=(const UnenforcedReferences&) = delete;

 private:
  SQLite::Database& sqlite_;
};

Result<void> Apply(Connection& connection, const Migration& step,
                   IsLast is_last) {
  const UnenforcedReferences unenforced(connection.sqlite());
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
    DropViews(sqlite);
    sqlite.exec(step.sql);
    if (SQLite::Statement(sqlite, "PRAGMA foreign_key_check").executeStep()) {
      return connection.FailHere(Errc::kCorrupt,
                                 name + " would break a reference");
    }
    if (is_last == IsLast::kYes) sqlite.exec(std::string(ViewsSql()));
    sqlite.exec("PRAGMA user_version = " + std::to_string(step.to_version));
    return {};
  });
}

}  // namespace

std::span<const Migration> Migrations() { return {}; }

Result<void> Migrate(Connection& connection, std::span<const Migration> steps) {
  for (const Migration& step : steps) {
    TRY_DONE(Apply(connection, step,
                   &step == &steps.back() ? IsLast::kYes : IsLast::kNo));
  }
  return {};
}

}  // namespace coppice::store
