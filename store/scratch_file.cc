#include "store/scratch_file.h"

#include <SQLiteCpp/Database.h>
#include <stdlib.h>

#include <cstdint>
#include <system_error>
#include <variant>

#include "store/connection.h"
#include "store/records/formatted.h"

namespace coppice::store {
namespace {

std::string Shown(const Value& value) {
  if (std::holds_alternative<std::monostate>(value)) return "-";
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    return std::to_string(*integer);
  }
  if (const auto* real = std::get_if<double>(&value)) {
    return Formatted("%g", *real);
  }
  return std::get<std::string>(value);
}

std::string AsLine(const std::vector<Value>& row) {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) {
    line += (i == 0 ? "" : "|") + Shown(row[i]);
  }
  return line;
}

}  // namespace

ScratchDirectory::ScratchDirectory() {
  std::string name =
      (std::filesystem::temp_directory_path() / "coppice_store_XXXXXX")
          .string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
  path_ = name;
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Database NewFile(const std::filesystem::path& path) {
  return Must(Database::Open(path, Access::kCreate, Durability::kNormal));
}

std::vector<std::string> AsLines(const std::vector<std::vector<Value>>& rows) {
  std::vector<std::string> lines;
  for (const std::vector<Value>& row : rows) lines.push_back(AsLine(row));
  return lines;
}

std::vector<std::string> Rows(Database& database, const std::string& sql) {
  std::vector<std::string> lines;
  RowSink sink;
  sink.row = [&lines](const std::vector<Value>& row) {
    lines.push_back(AsLine(row));
  };
  Must(Query(database, sql, sink));
  return lines;
}

void Change(Database& database, const std::string& sql) {
  Connection& connection = database.connection();
  Must(connection.Write([&]() -> Result<void> {
    connection.sqlite().exec(sql);
    return {};
  }));
}

void Damage(const std::filesystem::path& path, const std::string& sql) {
  SQLite::Database file(path.string(), SQLite::OPEN_READWRITE, 1000);
  file.exec("PRAGMA foreign_keys = OFF");
  file.exec("PRAGMA ignore_check_constraints = ON");
  file.exec(sql);
}

}  // namespace coppice::store
