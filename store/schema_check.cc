#include "store/schema_check.h"

#include <algorithm>
#include <array>
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
                         " FROM main.sqlite_schema WHERE " +
                             std::string(kIsNoStatistics));
  while (read.executeStep()) {
    objects[{read.getColumn(0).getString(), read.getColumn(1).getString(),
             read.getColumn(2).getString()}] = read.getColumn(3).getString();
  }
  return objects;
}

using Rows = std::vector<std::string>;

Rows ReadRows(SQLite::Database& sqlite, const std::string& table) {
  Rows rows;
  SQLite::Statement read(
      sqlite, "SELECT * FROM main." + table + " NOT INDEXED ORDER BY 1");
  while (read.executeStep()) {
    rows.push_back(read.getColumn(0).getString() + " " +
                   read.getColumn(1).getString());
  }
  return rows;
}

struct Ours {
  Objects objects;
  std::map<std::string, Rows> names;  // Of stored numbers, by table.
};

Ours MakeOurs() {
  SQLite::Database fresh(":memory:",
                         SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  fresh.exec(kSchemaSql);
  Ours ours{ReadObjects(fresh), {}};
  for (const auto& [key, sql] : ours.objects) {
    if (key[0] != "table") continue;
    Rows rows = ReadRows(fresh, key[1]);
    if (!rows.empty()) ours.names[key[1]] = std::move(rows);
  }
  return ours;
}

}  // namespace

std::vector<std::string> FindStrange(Connection& connection) {
  static const Ours ours = MakeOurs();
  std::vector<std::string> strange;
  const Objects found = ReadObjects(connection.sqlite());
  for (const auto& [key, sql] : found) {
    const auto at = ours.objects.find(key);
    if (at == ours.objects.end()) {
      strange.push_back(key[0] + " " + key[1] + " is none of coppice's");
    } else if (at->second != sql && Essence(at->second) != Essence(sql)) {
      strange.push_back(key[0] + " " + key[1] +
                        " is not as coppice defines it");
    }
  }
  for (const auto& [key, sql] : ours.objects) {
    if (!found.contains(key)) {
      strange.push_back(key[0] + " " + key[1] + " is missing");
    }
  }
  for (const auto& [table, names] : ours.names) {
    if (found.contains({"table", table, table}) &&
        ReadRows(connection.sqlite(), table) != names) {
      strange.push_back("the names in table " + table + " are not coppice's");
    }
  }
  return strange;
}

}  // namespace coppice::store
