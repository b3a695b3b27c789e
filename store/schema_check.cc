#include "store/schema_check.h"

#include <cctype>
#include <map>
#include <string_view>
#include <utility>

#include "store/connection.h"
#include "store/schema.h"

namespace coppice::store {
namespace {

// Without comments, and with one space for each run of spaces.
std::string Essence(std::string_view sql) {
  std::string essence;
  char quote = 0;
  for (std::size_t i = 0; i < sql.size(); ++i) {
    const char c = sql[i];
    if (quote == 0 && sql.substr(i).starts_with("--")) {
      i = std::min(sql.find('\n', i), sql.size()) - 1;
      continue;
    }
    if (quote == 0 && std::isspace(static_cast<unsigned char>(c)) != 0) {
      if (!essence.ends_with(' ')) essence += ' ';
      continue;
    }
    if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    }
    essence += c;
  }
  return essence;
}

// By type, name and table.
using Objects = std::map<std::array<std::string, 3>, std::string>;

Objects ReadObjects(SQLite::Database& sqlite) {
  Objects objects;
  SQLite::Statement read(sqlite,
                         "SELECT type, name, tbl_name, sql"
                         " FROM main.sqlite_schema"
                         " WHERE name NOT LIKE 'sqlite!_stat%' ESCAPE '!'");
  while (read.executeStep()) {
    objects[{read.getColumn(0).getString(), read.getColumn(1).getString(),
             read.getColumn(2).getString()}] =
        Essence(read.getColumn(3).getString());
  }
  return objects;
}

std::vector<std::string> ReadRows(SQLite::Database& sqlite,
                                  const std::string& table) {
  std::vector<std::string> rows;
  SQLite::Statement read(
      sqlite, "SELECT * FROM main." + table + " NOT INDEXED ORDER BY 1");
  while (read.executeStep()) {
    rows.push_back(read.getColumn(0).getString() + " " +
                   read.getColumn(1).getString());
  }
  return rows;
}

}  // namespace

std::vector<std::string> FindStrange(Connection& connection) {
  std::vector<std::string> strange;
  SQLite::Database fresh(":memory:",
                         SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  fresh.exec(kSchemaSql);
  const Objects ours = ReadObjects(fresh);
  const Objects found = ReadObjects(connection.sqlite());
  for (const auto& [key, sql] : found) {
    const auto at = ours.find(key);
    if (at == ours.end()) {
      strange.push_back(key[0] + " " + key[1] + " is none of coppice's");
    } else if (at->second != sql) {
      strange.push_back(key[0] + " " + key[1] +
                        " is not as coppice defines it");
    }
  }
  for (const auto& [key, sql] : ours) {
    if (!found.contains(key)) {
      strange.push_back(key[0] + " " + key[1] + " is missing");
    } else if (key[0] == "table") {
      const auto names = ReadRows(fresh, key[1]);
      if (!names.empty() && names != ReadRows(connection.sqlite(), key[1])) {
        strange.push_back("the names in table " + key[1] +
                          " are not coppice's");
      }
    }
  }
  return strange;
}

}  // namespace coppice::store
