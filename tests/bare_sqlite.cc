#include "tests/bare_sqlite.h"

#include <sqlite3.h>

#include <chrono>
#include <set>
#include <stdexcept>
#include <utility>

namespace coppice {
namespace {

using Clock = std::chrono::steady_clock;

Cell ReadCell(sqlite3_stmt* statement, int column) {
  const auto size =
      static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
  const auto text = [&] {
    const auto* data =
        static_cast<const char*>(sqlite3_column_blob(statement, column));
    return size == 0 ? std::string() : std::string(data, size);
  };
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
      return std::int64_t{sqlite3_column_int64(statement, column)};
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, column);
    case SQLITE_TEXT:
      return text();
    case SQLITE_BLOB:
      return BlobBytes{text()};
    default:
      return std::monostate();
  }
}

struct BindCell {
  sqlite3_stmt* statement;
  int index;
  void operator()(std::monostate) const { sqlite3_bind_null(statement, index); }
  void operator()(std::int64_t value) const {
    sqlite3_bind_int64(statement, index, value);
  }
  void operator()(double value) const {
    sqlite3_bind_double(statement, index, value);
  }
  void operator()(const std::string& value) const {
    sqlite3_bind_text(statement, index, value.data(),
                      static_cast<int>(value.size()), SQLITE_STATIC);
  }
  void operator()(const BlobBytes& value) const {
    sqlite3_bind_blob(statement, index, value.bytes.data(),
                      static_cast<int>(value.bytes.size()), SQLITE_STATIC);
  }
};

std::string Where(const std::string& column, const Cell& id) {
  return " WHERE " + column + " = " +
         std::to_string(std::get<std::int64_t>(id));
}

Step Insert(const std::string& table, Row values) {
  std::string places = "?";
  for (std::size_t i = 1; i < values.size(); ++i) places += ",?";
  return {"INSERT INTO " + table + " VALUES (" + places + ")",
          std::move(values)};
}

// The transactions of one attempt, from its rows.  Column numbers are those of
// schema.sql.
class AttemptRecorder {
 public:
  AttemptRecorder(BareSqlite& file, Row attempt, std::int64_t& last_blob)
      : file_(file), attempt_(std::move(attempt)), last_blob_(last_blob) {}

  std::vector<TransactionSteps> Record() {
    Reserve();
    for (const Row& call :
         file_.Rows("SELECT * FROM model_call" +
                    Where("attempt_id", attempt_[0]) + " ORDER BY call_id")) {
      Begin(call);
      End(call);
    }
    Commit();
    return std::move(transactions_);
  }

 private:
  void Add(TransactionSteps steps) {
    transactions_.push_back(std::move(steps));
  }

  // The blob's row, if this attempt brought it.
  void InsertBlob(TransactionSteps& steps, const Cell& id) {
    if (!std::holds_alternative<std::int64_t>(id)) return;
    if (std::get<std::int64_t>(id) <= last_blob_ ||
        !inserted_.insert(std::get<std::int64_t>(id)).second) {
      return;
    }
    steps.push_back(Insert(
        "blob", file_.Rows("SELECT * FROM blob" + Where("blob_id", id)).at(0)));
  }

  void InsertAll(TransactionSteps& steps, const std::string& table,
                 const std::string& where) {
    for (Row& row : file_.Rows("SELECT * FROM " + table + where)) {
      steps.push_back(Insert(table, std::move(row)));
    }
  }

  void Reserve() {
    Row reserved = attempt_;
    reserved[7] = std::int64_t{0};
    for (const std::size_t column : {11u, 12u, 13u, 14u, 17u}) {
      reserved[column] = std::monostate();
    }
    Add({Insert("attempt", reserved),
         {"UPDATE campaign SET attempts = attempts + 1 WHERE campaign_id = ?",
          {attempt_[2]}}});
  }

  void Begin(const Row& call) {
    TransactionSteps steps;
    InsertBlob(steps, call[11]);
    InsertBlob(steps, call[12]);
    Row sent = call;
    sent[14] = std::int64_t{0};
    sent[15] = std::monostate();
    sent[22] = std::monostate();
    steps.push_back(Insert("model_call", sent));
    InsertAll(steps, "window_entry", Where("call_id", call[0]));
    Add(std::move(steps));
  }

  void End(const Row& call) {
    TransactionSteps steps;
    const bool is_plan = std::get<std::int64_t>(call[3]) == 0;
    if (is_plan) {
      Row plan =
          file_.Rows("SELECT * FROM plan" + Where("plan_id", attempt_[11]))
              .at(0);
      InsertBlob(steps, plan[3]);
      InsertBlob(steps, call[15]);
      steps.push_back(Insert("plan", std::move(plan)));
    } else {
      InsertBlob(steps, attempt_[12]);
      InsertBlob(steps, call[15]);
    }
    steps.push_back(
        {"UPDATE model_call SET outcome = ?, answer_blob = ?, error = ?,"
         " input_tokens = ?, cached_input_tokens = ?, output_tokens = ?,"
         " cost_usd = ?, latency_s = ?, ended_at_s = ? WHERE call_id = ?",
         {call[14], call[15], call[16], call[17], call[18], call[19], call[20],
          call[21], call[22], call[0]}});
    if (is_plan) {
      steps.push_back(
          {"UPDATE attempt SET stage = 1, plan_id = ? WHERE attempt_id = ?",
           {attempt_[11], attempt_[0]}});
    } else {
      steps.push_back(
          {"UPDATE attempt SET stage = 2, source_blob = ?,"
           " language = ?, entry_symbol = ?, changed_inside = ?,"
           " changed_outside = ? WHERE attempt_id = ?",
           {attempt_[12], attempt_[13], attempt_[14], attempt_[15],
            attempt_[16], attempt_[0]}});
    }
    Add(std::move(steps));
  }

  void Commit() {
    TransactionSteps steps;
    Row node =
        file_.Rows("SELECT * FROM node" + Where("attempt_id", attempt_[0]))
            .at(0);
    const std::string of_node =
        Where("campaign_id", node[0]) +
        " AND node_number = " + std::to_string(std::get<std::int64_t>(node[1]));
    const Row evaluation =
        file_.Rows("SELECT * FROM evaluation" + of_node).at(0);
    const std::string of_evaluation = Where("evaluation_id", evaluation[0]);
    InsertBlob(steps, evaluation[11]);
    steps.push_back(Insert("node", node));
    steps.push_back(Insert("evaluation", evaluation));
    InsertAll(steps, "workload_result", of_evaluation);
    InsertAll(steps, "sample", of_evaluation);
    steps.push_back(
        {"UPDATE campaign SET nodes = nodes + 1, updated_at_s = ?"
         " WHERE campaign_id = ?",
         {node[15], node[0]}});
    steps.push_back(
        {"UPDATE attempt SET stage = 3 WHERE attempt_id = ?", {attempt_[0]}});
    InsertAll(steps, "event",
              " WHERE kind = 'committed' AND event_id > (SELECT max(event_id)"
              " - 2000 FROM event) AND subject = " +
                  std::to_string(std::get<std::int64_t>(node[1])));
    Add(std::move(steps));
    for (const std::int64_t id : inserted_) {
      last_blob_ = std::max(last_blob_, id);
    }
  }

  BareSqlite& file_;
  Row attempt_;
  std::int64_t& last_blob_;
  std::set<std::int64_t> inserted_;
  std::vector<TransactionSteps> transactions_;
};

}  // namespace

BareSqlite::BareSqlite(const std::filesystem::path& path) {
  if (sqlite3_open(path.c_str(), &handle_) != SQLITE_OK) {
    throw std::runtime_error(path.string() + ": " + sqlite3_errmsg(handle_));
  }
}

BareSqlite::~BareSqlite() {
  for (const auto& [sql, statement] : statements_) sqlite3_finalize(statement);
  sqlite3_close(handle_);
}

void BareSqlite::Execute(const std::string& sql) {
  if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) !=
      SQLITE_OK) {
    throw std::runtime_error(sql + ": " + sqlite3_errmsg(handle_));
  }
}

sqlite3_stmt* BareSqlite::Prepare(const std::string& sql) {
  sqlite3_stmt*& statement = statements_[sql];
  if (statement == nullptr &&
      sqlite3_prepare_v2(handle_, sql.c_str(), -1, &statement, nullptr) !=
          SQLITE_OK) {
    throw std::runtime_error(sql + ": " + sqlite3_errmsg(handle_));
  }
  return statement;
}

void BareSqlite::Run(sqlite3_stmt* statement) {
  if (sqlite3_step(statement) != SQLITE_DONE) {
    throw std::runtime_error(std::string(sqlite3_sql(statement)) + ": " +
                             sqlite3_errmsg(handle_));
  }
  sqlite3_reset(statement);
}

std::vector<Row> BareSqlite::Rows(const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(handle_, sql.c_str(), -1, &statement, nullptr) !=
      SQLITE_OK) {
    throw std::runtime_error(sql + ": " + sqlite3_errmsg(handle_));
  }
  std::vector<Row> rows;
  while (sqlite3_step(statement) == SQLITE_ROW) {
    Row row;
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
      row.push_back(ReadCell(statement, i));
    }
    rows.push_back(std::move(row));
  }
  sqlite3_finalize(statement);
  return rows;
}

std::int64_t BareSqlite::Number(const std::string& sql) {
  return std::get<std::int64_t>(Rows(sql).at(0).at(0));
}

double BareSqlite::Replay(const TransactionSteps& steps) {
  const auto start = Clock::now();
  Run(Prepare("BEGIN IMMEDIATE"));
  for (const Step& step : steps) {
    sqlite3_stmt* statement = Prepare(step.sql);
    int index = 0;
    for (const Cell& cell : step.values) {
      std::visit(BindCell{statement, ++index}, cell);
    }
    Run(statement);
  }
  Run(Prepare("COMMIT"));
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::vector<TransactionSteps> RecordedTransactions(BareSqlite& file,
                                                   std::int64_t after,
                                                   std::int64_t& last_blob) {
  std::vector<TransactionSteps> transactions;
  for (Row& attempt :
       file.Rows("SELECT * FROM attempt WHERE attempt_id > " +
                 std::to_string(after) + " ORDER BY attempt_id")) {
    AttemptRecorder recorder(file, std::move(attempt), last_blob);
    for (TransactionSteps& steps : recorder.Record()) {
      transactions.push_back(std::move(steps));
    }
  }
  return transactions;
}

}  // namespace coppice
