// The yardstick of the tree memory: the same rows, in the same transactions,
// through nothing but SQLite's C functions and prepared statements, with no
// hashing, compressing, checking or looking up.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace coppice {

struct BlobBytes {
  std::string bytes;
};
using Cell =
    std::variant<std::monostate, std::int64_t, double, std::string, BlobBytes>;

// A row's cells with the names of their columns, in the table's order.
class Row {
 public:
  void Add(std::string column, Cell cell) {
    cells_.emplace_back(std::move(column), std::move(cell));
  }
  // Throws std::out_of_range where there is no such column.
  Cell& operator[](std::string_view column);
  const Cell& operator[](std::string_view column) const;

  auto begin() const { return cells_.begin(); }
  auto end() const { return cells_.end(); }

 private:
  std::vector<std::pair<std::string, Cell>> cells_;
};

// A statement of a transaction, ready to be run again.
struct Step {
  std::string sql;
  std::vector<Cell> values;
};
using TransactionSteps = std::vector<Step>;

class BareSqlite {
 public:
  explicit BareSqlite(const std::filesystem::path& path);
  ~BareSqlite();
  BareSqlite(const BareSqlite&) = delete;
  BareSqlite& operator=(const BareSqlite&) = delete;

  void Execute(const std::string& sql);
  std::vector<Row> Rows(const std::string& sql);
  std::int64_t Number(const std::string& sql);  // Its first row's first cell.

  // Seconds from BEGIN IMMEDIATE to after COMMIT.
  double Replay(const TransactionSteps& steps);

 private:
  sqlite3_stmt* Prepare(const std::string& sql);
  void Run(sqlite3_stmt* statement);

  sqlite3* handle_ = nullptr;
  std::map<std::string, sqlite3_stmt*> statements_;
};

// What the store wrote for the attempts with ids above `after`, an entry for
// each of their transactions, in order.  `last_blob` is the highest blob id
// before them, and is moved on.
std::vector<TransactionSteps> RecordedTransactions(BareSqlite& file,
                                                   std::int64_t after,
                                                   std::int64_t& last_blob);

}  // namespace coppice
