#include "store/migration.h"

#include <map>
#include <regex>
#include <string>
#include <utility>
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
// that no step breaks one is checked at its end.  In a transaction this has no
// effect.
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
    if (is_last == IsLast::kYes) {
      sqlite.exec(std::string(ViewsSql()));
      connection.seals().MakeAnew();
    }
    sqlite.exec("PRAGMA user_version = " + std::to_string(step.to_version));
    return {};
  });
}

// The newest view in place of each table, by its name.
using Newest = std::map<std::string, std::string>;

// "SELECT * FROM before.node" -> "SELECT * FROM temp.node_2".
std::string Resolved(const Newest& newest, const std::string& select) {
  static const std::regex kBefore("before\\.(\\w+)");
  std::string sql;
  auto from = select.begin();
  for (std::sregex_iterator at(select.begin(), select.end(), kBefore), end;
       at != end; ++at) {
    const auto found = newest.find((*at)[1]);
    sql.append(from, (*at)[0].first);
    sql += found == newest.end() ? "main." + (*at)[1].str()
                                 : "temp." + found->second;
    from = (*at)[0].second;
  }
  return sql.append(from, select.end());
}

void CreateTemporary(SQLite::Database& sqlite, const std::string& view,
                     const std::string& select) {
  sqlite.exec("CREATE TEMP VIEW " + view + " AS " + select);
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

// Temporary views hide the tables and views of the file that have their names,
// but not from each other: those of each step are numbered, and the last ones
// get the tables' own names.
Result<void> ReadForward(Connection& connection,
                         std::span<const Migration> steps) {
  SQLite::Database& sqlite = connection.sqlite();
  const std::int64_t has = sqlite.execAndGet("PRAGMA user_version").getInt64();
  std::int64_t version = has;
  Newest newest;
  for (const Migration& step : steps) {
    if (step.to_version <= version) continue;
    if (step.to_version != version + 1 || !step.readings) break;
    version = step.to_version;
    Newest after = newest;
    for (const Migration::Reading& reading : *step.readings) {
      const std::string table = reading.table;
      after[table] = table + "_" + std::to_string(version);
      CreateTemporary(sqlite, after[table], Resolved(newest, reading.select));
    }
    newest = std::move(after);
  }
  if (steps.empty() || version != steps.back().to_version) {
    return connection.FailHere(
        Errc::kUsage, "format " + std::to_string(has) +
                          " is older than this program's, and cannot be read "
                          "as it is: bring it forward with `coppice db "
                          "compact`");
  }
  for (const auto& [table, view] : newest) {
    CreateTemporary(sqlite, table, "SELECT * FROM temp." + view);
  }
  static const std::regex kCreate("CREATE VIEW ");
  sqlite.exec(std::regex_replace(std::string(ViewsSql()), kCreate,
                                 "CREATE TEMP VIEW "));
  return {};
}

}  // namespace coppice::store
