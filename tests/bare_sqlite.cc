#include "tests/bare_sqlite.h"

#include <sqlite3.h>

#include <chrono>
#include <initializer_list>
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

Step Insert(const std::string& table, const Row& row) {
  std::string columns;
  std::string places;
  std::vector<Cell> values;
  for (const auto& [column, cell] : row) {
    columns += (columns.empty() ? "" : ",") + column;
    places += places.empty() ? "?" : ",?";
    values.push_back(cell);
  }
  return {"INSERT INTO " + table + " (" + columns + ") VALUES (" + places + ")",
          std::move(values)};
}

// What a later transaction sets is NULL when the row is inserted.
void Clear(Row& row, std::initializer_list<std::string_view> columns) {
  for (const std::string_view column : columns) row[column] = std::monostate();
}

// The transactions of one attempt, from its rows.
class AttemptRecorder {
 public:
  AttemptRecorder(BareSqlite& file, Row attempt, std::int64_t& last_blob)
      : file_(file), attempt_(std::move(attempt)), last_blob_(last_blob) {}

  std::vector<TransactionSteps> Record() {
    Reserve();
    for (const Row& call :
         file_.Rows("SELECT * FROM model_call" +
                    Where("attempt_id", attempt_["attempt_id"]) +
                    " ORDER BY call_id")) {
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
    for (const Row& row : file_.Rows("SELECT * FROM " + table + where)) {
      steps.push_back(Insert(table, row));
    }
  }

  void Reserve() {
    Row reserved = attempt_;
    reserved["stage"] = std::int64_t{0};
    Clear(reserved, {"plan_id", "source_blob", "language", "entry_symbol",
                     "no_candidate_reason"});
    Add({Insert("attempt", reserved),
         {"UPDATE campaign SET attempts = attempts + 1 WHERE campaign_id = ?",
          {attempt_["campaign_id"]}}});
  }

  void Begin(const Row& call) {
    TransactionSteps steps;
    InsertBlob(steps, call["system_prompt_blob"]);
    InsertBlob(steps, call["user_prompt_blob"]);
    InsertBlob(steps, call["template_blob"]);
    Row sent = call;
    sent["outcome"] = std::int64_t{0};
    Clear(sent, {"answer_blob", "ended_at_s"});
    steps.push_back(Insert("model_call", sent));
    InsertAll(steps, "window_entry", Where("call_id", call["call_id"]));
    InsertAll(steps, "window_cut", Where("call_id", call["call_id"]));
    Add(std::move(steps));
  }

  void End(const Row& call) {
    TransactionSteps steps;
    const bool is_plan = std::get<std::int64_t>(call["role"]) == 0;
    if (is_plan) {
      const Row plan = file_
                           .Rows("SELECT * FROM plan" +
                                 Where("plan_id", attempt_["plan_id"]))
                           .at(0);
      InsertBlob(steps, plan["annotated_blob"]);
      InsertBlob(steps, call["answer_blob"]);
      steps.push_back(Insert("plan", plan));
    } else {
      InsertBlob(steps, attempt_["source_blob"]);
      InsertBlob(steps, call["answer_blob"]);
    }
    steps.push_back(
        {"UPDATE model_call SET outcome = ?, answer_blob = ?, error = ?,"
         " input_tokens = ?, cached_input_tokens = ?, output_tokens = ?,"
         " cost_usd = ?, latency_s = ?, ended_at_s = ? WHERE call_id = ?",
         {call["outcome"], call["answer_blob"], call["error"],
          call["input_tokens"], call["cached_input_tokens"],
          call["output_tokens"], call["cost_usd"], call["latency_s"],
          call["ended_at_s"], call["call_id"]}});
    if (is_plan) {
      steps.push_back(
          {"UPDATE attempt SET stage = 1, plan_id = ? WHERE attempt_id = ?",
           {attempt_["plan_id"], attempt_["attempt_id"]}});
    } else {
      steps.push_back(
          {"UPDATE attempt SET stage = 2, source_blob = ?,"
           " language = ?, entry_symbol = ?, changed_inside = ?,"
           " changed_outside = ? WHERE attempt_id = ?",
           {attempt_["source_blob"], attempt_["language"],
            attempt_["entry_symbol"], attempt_["changed_inside"],
            attempt_["changed_outside"], attempt_["attempt_id"]}});
    }
    Add(std::move(steps));
  }

  void Commit() {
    TransactionSteps steps;
    const Row node = file_
                         .Rows("SELECT * FROM node" +
                               Where("attempt_id", attempt_["attempt_id"]))
                         .at(0);
    const std::string number =
        std::to_string(std::get<std::int64_t>(node["number"]));
    // A node of tokens that were judged before adds to that node's evaluations.
    const bool is_first =
        std::holds_alternative<std::monostate>(node["same_as"]);
    const Cell& judged = is_first ? node["number"] : node["same_as"];
    const Row evaluation =
        file_
            .Rows("SELECT * FROM evaluation" +
                  Where("campaign_id", node["campaign_id"]) +
                  " AND node_number = " +
                  std::to_string(std::get<std::int64_t>(judged)) +
                  " ORDER BY ordinal DESC LIMIT 1")
            .at(0);
    const std::string of_evaluation =
        Where("evaluation_id", evaluation["evaluation_id"]);
    InsertBlob(steps, evaluation["log_blob"]);
    steps.push_back(Insert("node", node));
    steps.push_back(Insert("evaluation", evaluation));
    InsertAll(steps, "workload_result", of_evaluation);
    InsertAll(steps, "sample", of_evaluation);
    steps.push_back(
        {"UPDATE campaign SET nodes = nodes + 1, updated_at_s = ?"
         " WHERE campaign_id = ?",
         {node["committed_at_s"], node["campaign_id"]}});
    steps.push_back({"UPDATE attempt SET stage = 3 WHERE attempt_id = ?",
                     {attempt_["attempt_id"]}});
    InsertAll(steps, "event",
              " WHERE kind = 'committed' AND event_id > (SELECT max(event_id)"
              " - 2000 FROM event) AND subject = " +
                  number);
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

const Cell& Row::operator[](std::string_view column) const {
  for (const auto& [name, cell] : cells_) {
    if (name == column) return cell;
  }
  throw std::out_of_range("no column " + std::string(column));
}

Cell& Row::operator[](std::string_view column) {
  return const_cast<Cell&>(std::as_const(*this)[column]);
}

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
      row.Add(sqlite3_column_name(statement, i), ReadCell(statement, i));
    }
    rows.push_back(std::move(row));
  }
  sqlite3_finalize(statement);
  return rows;
}

std::int64_t BareSqlite::Number(const std::string& sql) {
  return std::get<std::int64_t>(Rows(sql).at(0).begin()->second);
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
