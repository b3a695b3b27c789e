#include "store/seals.h"

#include <algorithm>
#include <array>
#include <bit>
#include <exception>
#include <set>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "store/connection.h"
#include "store/schema.h"

namespace coppice::store {
namespace {

constexpr int kBlockBits = 6;
constexpr std::int64_t kFirstOfTheLast = std::int64_t{1} << 40;  // seal_id.
constexpr std::string_view kSchemaTable = "sqlite_schema";
constexpr std::string_view kSealTable = "seal";

// The words after each `before` in schema.sql.
std::set<std::string, std::less<>> NamesAfter(std::string_view before) {
  std::set<std::string, std::less<>> names;
  const std::string_view schema = kSchemaSql;
  for (auto at = schema.find(before); at != std::string_view::npos;
       at = schema.find(before, at)) {
    at += before.size();
    names.emplace(schema.substr(at, schema.find_first_of(" (\n", at) - at));
  }
  return names;
}

// What `doctor` works out again from other rows needs no seal.
constexpr std::array<std::string_view, 3> kSums = {"call_sum", "improvement",
                                                   "trial_sum"};

bool IsSealed(std::string_view table) {
  static const auto ours = NamesAfter("\nCREATE TABLE ");
  static const auto filled = NamesAfter("\nINSERT INTO ");
  return ours.contains(table) && !filled.contains(table) &&
         table != kSealTable && std::ranges::find(kSums, table) == kSums.end();
}

std::vector<SealedTable> ReadTables(SQLite::Database& sqlite) {
  std::vector<SealedTable> tables;
  SQLite::Statement read(
      sqlite,
      "SELECT m.name, c.name, c.pk, c.type = 'INTEGER'"
      " FROM main.sqlite_schema m JOIN pragma_table_info(m.name, 'main') c"
      " WHERE m.type = 'table'");
  while (read.executeStep()) {
    const std::string name = read.getColumn(0).getString();
    if (!IsSealed(name)) continue;
    if (tables.empty() || tables.back().name != name) {
      tables.push_back({name, {}, {}, {}});
    }
    SealedTable& table = tables.back();
    const std::string column = read.getColumn(1).getString();
    const int place_in_key = read.getColumn(2).getInt();
    const bool is_number = read.getColumn(3).getInt() != 0;
    // Only the key of campaign itself ends with it.
    if (place_in_key == 1 && column == "campaign_id" && name != "campaign") {
      table.campaign = table.columns.size();
    } else if (is_number && place_in_key == (table.campaign ? 2 : 1)) {
      table.number = table.columns.size();
    }
    table.columns.push_back(column);
  }
  tables.push_back(
      {std::string(kSchemaTable), {"type", "name", "tbl_name", "sql"}, {}, {}});
  return tables;
}

void CountRow(sqlite3_context* context, int sign, int count,
              sqlite3_value** arguments) {
  auto& seals = *static_cast<Seals*>(sqlite3_user_data(context));
  try {
    seals.Count(sign,
                static_cast<std::size_t>(sqlite3_value_int64(arguments[0])),
                std::span(arguments + 1, static_cast<std::size_t>(count - 1)));
  } catch (const std::exception& exception) {
    sqlite3_result_error(context, exception.what(), -1);
  }
}

void RowCame(sqlite3_context* context, int count, sqlite3_value** arguments) {
  CountRow(context, 1, count, arguments);
}

void RowWent(sqlite3_context* context, int count, sqlite3_value** arguments) {
  CountRow(context, -1, count, arguments);
}

// SQLite's own sum of integers does not wrap around.
void SumOfSeals(sqlite3_context* context, int, sqlite3_value** arguments) {
  const auto at = [&](int i) {
    return static_cast<std::uint64_t>(sqlite3_value_int64(arguments[i]));
  };
  sqlite3_result_int64(context, std::bit_cast<std::int64_t>(at(0) + at(1)));
}

using Function = void (*)(sqlite3_context*, int, sqlite3_value**);

void Register(SQLite::Database& sqlite, const char* name, int arguments,
              Function function, void* data) {
  const int code = sqlite3_create_function_v2(
      sqlite.getHandle(), name, arguments, SQLITE_UTF8 | SQLITE_DIRECTONLY,
      data, function, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) throw SQLite::Exception(sqlite.getHandle(), code);
}

std::string Call(const char* function, std::size_t place,
                 const SealedTable& table, const char* row) {
  std::string sql = function;
  sql += "(" + std::to_string(place);
  for (const std::string& column : table.columns) {
    sql.append(", ").append(row).append(".").append(QuotedName(column));
  }
  return sql + ")";
}

std::string TriggersOf(std::size_t place, const SealedTable& table) {
  const std::string came = Call("row_came", place, table, "NEW");
  const std::string went = Call("row_went", place, table, "OLD");
  const auto trigger = [&](const std::string& event, const std::string& calls) {
    return "CREATE TEMP TRIGGER " + QuotedName("seal_" + event + table.name) +
           " AFTER " + event + " ON main." + QuotedName(table.name) +
           " BEGIN SELECT " + calls + "; END;";
  };
  const std::string update = trigger("UPDATE", went + ", " + came);
  const bool is_told =
      std::ranges::find(Seals::kToldOf, table.name) != Seals::kToldOf.end();
  return is_told ? update : update + trigger("INSERT", came);
}

// All rows, as they are sealed.
std::string SelectAll(const SealedTable& table) {
  std::string sql;
  for (const std::string& column : table.columns) {
    sql += (sql.empty() ? "SELECT " : ", ") + QuotedName(column);
  }
  sql += " FROM main." + QuotedName(table.name);
  if (table.name == kSchemaTable) {
    return sql.append(" WHERE ").append(kIsNoStatistics);
  }
  return sql + " NOT INDEXED";  // An index may be whole where its table is not.
}

using Row = std::span<sqlite3_value* const>;

void Fill(SealedRow& bytes, const SealedTable& table, Row row) {
  bytes.Begin(table.name);
  for (sqlite3_value* value : row) bytes.Add(value);
}

Block BlockOf(std::size_t place, const SealedTable& table, Row row) {
  Block block{place, 0, 0};
  if (table.campaign) {
    block.campaign = sqlite3_value_int64(row[*table.campaign]);
  }
  if (table.number) {
    block.number = sqlite3_value_int64(row[*table.number]) >> kBlockBits;
  }
  return block;
}

}  // namespace

std::string QuotedName(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

void Seals::ForEachRow(std::size_t table, const RowVisitor& visit) {
  const SealedTable& sealed = tables()[table];
  sqlite3* const handle = connection_.sqlite().getHandle();
  sqlite3_stmt* raw = nullptr;
  int code =
      sqlite3_prepare_v2(handle, SelectAll(sealed).c_str(), -1, &raw, nullptr);
  const RawStatement statement(raw);
  if (code != SQLITE_OK) throw SQLite::Exception(handle, code);
  std::vector<sqlite3_value*> row(sealed.columns.size());
  SealedRow bytes;
  while ((code = sqlite3_step(raw)) == SQLITE_ROW) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = sqlite3_column_value(raw, static_cast<int>(i));
    }
    Fill(bytes, sealed, row);
    visit(BlockOf(table, sealed, row), bytes);
  }
  if (code != SQLITE_DONE) throw SQLite::Exception(handle, code);
}

Seals::Seals(Connection& connection) : connection_(connection) {
  Register(connection.sqlite(), "sum_of_seals", 2, SumOfSeals, nullptr);
}

const std::vector<SealedTable>& Seals::tables() {
  if (tables_.empty()) tables_ = ReadTables(connection_.sqlite());
  return tables_;
}

void Seals::Keep() {
  SQLite::Database& sqlite = connection_.sqlite();
  Register(sqlite, "row_came", -1, RowCame, this);
  Register(sqlite, "row_went", -1, RowWent, this);
  std::string sql;
  for (std::size_t place = 0; place < tables().size(); ++place) {
    const SealedTable& table = tables()[place];
    if (table.name != kSchemaTable) sql += TriggersOf(place, table);
  }
  sqlite.exec(sql);
}

void Seals::CountTold(std::string_view table, std::int64_t key) {
  const auto told = std::ranges::find(tables(), table, &SealedTable::name);
  const auto place = static_cast<std::size_t>(told - tables_.begin());
  pending_[{place, 0, key >> kBlockBits}] += row_.Hash();
}

void Seals::Count(int sign, std::size_t place,
                  std::span<sqlite3_value* const> row) {
  const SealedTable& table = tables_.at(place);
  if (row.size() != table.columns.size()) {
    throw std::logic_error(table.name + " is another table by now");
  }
  Fill(row_, table, row);
  const std::uint64_t hash = row_.Hash();
  pending_[BlockOf(place, table, row)] += sign > 0 ? hash : -hash;
}

std::int64_t Seals::IdOf(const Block& block) {
  constexpr std::size_t kMany = 256;  // More than there are tables.
  if (const auto known = ids_.find(block); known != ids_.end()) {
    return known->second;
  }
  if (ids_.size() > kMany) ids_.clear();
  const std::string& table = tables()[block.table].name;
  const auto found = connection_.Find<std::int64_t>(
      "SELECT seal_id FROM seal"
      " WHERE of_table = ? AND campaign_id = ? AND block = ?",
      table, block.campaign, block.number);
  if (found) return ids_[block] = *found;
  // What transactions write then lies on one page: seals of what came lately at
  // the end of the others, and after these those of what changes all the time.
  const bool changes = table == "campaign" || table == "expense";
  connection_.Run(
      "INSERT INTO seal (seal_id, of_table, campaign_id, block, sum)"
      " VALUES ((SELECT coalesce(max(seal_id) + 1, ?4) FROM seal"
      "   WHERE seal_id >= ?4 AND seal_id < ?5), ?1, ?2, ?3, 0)",
      table, block.campaign, block.number, changes ? kFirstOfTheLast : 1,
      changes ? 2 * kFirstOfTheLast : kFirstOfTheLast);
  return ids_[block] = connection_.LastRowId();
}

void Seals::Write() {
  for (const auto& [block, sum] : pending_) {
    if (sum == 0) continue;
    connection_.Run(
        "UPDATE seal SET sum = sum_of_seals(sum, ?2) WHERE seal_id = ?1",
        IdOf(block), std::bit_cast<std::int64_t>(sum));
  }
  pending_.clear();
}

Sums Seals::Read(std::size_t table) {
  Sums sums;
  Statement read = connection_.Prepare(
      "SELECT campaign_id, block, sum FROM main.seal WHERE of_table = ?",
      tables()[table].name);
  while (read.Step()) {
    sums[{table, read.Int(0), read.Int(1)}] =
        std::bit_cast<std::uint64_t>(read.Int(2));
  }
  return sums;
}

Sums Seals::Differences(std::size_t table) {
  Sums sums;
  ForEachRow(table, [&](const Block& block, const SealedRow& row) {
    sums[block] += row.Hash();
  });
  for (const auto& [block, seal] : Read(table)) sums[block] -= seal;
  std::erase_if(sums, [](const auto& each) { return each.second == 0; });
  return sums;
}

Sums Seals::Differences() {
  Sums all;
  for (std::size_t i = 0; i < tables().size(); ++i) all.merge(Differences(i));
  return all;
}

std::vector<std::string> Seals::FindTablesOfNothing() {
  std::vector<std::string> names;
  Statement read =
      connection_.Prepare("SELECT DISTINCT of_table FROM main.seal");
  while (read.Step()) {
    const std::string name = read.Text(0);
    const bool is_known =
        std::ranges::find(tables(), name, &SealedTable::name) != tables_.end();
    if (!is_known) names.push_back(name);
  }
  return names;
}

void Seals::MakeAnew() {
  tables_.clear();  // They may be others since.
  for (const std::string& name : FindTablesOfNothing()) {
    connection_.Run("DELETE FROM seal WHERE of_table = ?", name);
  }
  ids_.clear();
  pending_ = Differences();
  Write();
}

std::string Seals::Describe(const Block& block) {
  const SealedTable& table = tables()[block.table];
  std::string key;
  if (table.campaign) key = "campaign_id " + std::to_string(block.campaign);
  if (table.number) {
    const std::int64_t first = block.number << kBlockBits;
    key += (key.empty() ? "" : ", ") + table.columns[*table.number] + " " +
           std::to_string(first) + " to " +
           std::to_string(first + (1 << kBlockBits) - 1);
  }
  return table.name + (key.empty() ? "" : " (" + key + ")");
}

}  // namespace coppice::store
