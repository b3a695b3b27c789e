#include "store/read/query.h"

#include <sqlite3.h>

#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "store/connection.h"

namespace coppice::store {
namespace {

bool IsReadingPragma(const char* name, const char* argument) {
  const std::string_view pragma = name;
  if (pragma == "user_version" || pragma == "application_id") {
    return argument == nullptr;
  }
  return pragma == "table_info" || pragma == "table_xinfo" ||
         pragma == "table_list" || pragma == "index_list" ||
         pragma == "index_info" || pragma == "index_xinfo" ||
         pragma == "foreign_key_list";
}

// What a statement may do while it is compiled; all else is refused, ATTACH
// and VACUUM INTO (which SQLite counts as reading) included.
int Authorize(void* is_strict, int action, const char* first,
              const char* second, const char*, const char*) {
  if (is_strict != nullptr && action == SQLITE_PRAGMA) return SQLITE_DENY;
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_FUNCTION:
      // The second tells an address of this process.
      return std::string_view(second) == "load_extension" ||
                     std::string_view(second) == "fts3_tokenizer"
                 ? SQLITE_DENY
                 : SQLITE_OK;
    case SQLITE_UPDATE:
      // Declaring the columns of json_each and its like asks for this; a real
      // update is refused by sqlite3_stmt_readonly.
      return std::string_view(first) == "sqlite_master" ? SQLITE_OK
                                                        : SQLITE_DENY;
    case SQLITE_PRAGMA:
      return IsReadingPragma(first, second) ? SQLITE_OK : SQLITE_DENY;
    default:
      return SQLITE_DENY;
  }
}

class AuthorizerScope {
 public:
  AuthorizerScope(sqlite3* handle, bool is_strict) : handle_(handle) {
    sqlite3_set_authorizer(handle_, Authorize, is_strict ? handle : nullptr);
  }
  ~AuthorizerScope() { sqlite3_set_authorizer(handle_, nullptr, nullptr); }
  AuthorizerScope(const AuthorizerScope&) = delete;
  AuthorizerScope& operator=(const AuthorizerScope&) = delete;

 private:
  sqlite3* handle_;
};

tl::unexpected<Error> SqlError(const std::string& what) {
  return Fail(Errc::kUsage, "SQL: " + what);
}

tl::unexpected<Error> WouldWrite() {
  return SqlError("one reading statement is allowed: SELECT, WITH or VALUES");
}

// What SQLite says about the statement is the user's; all else is the file's.
tl::unexpected<Error> Failure(Connection& connection, int code) {
  sqlite3* handle = connection.sqlite().getHandle();
  if ((code & 0xff) == SQLITE_ERROR) return SqlError(sqlite3_errmsg(handle));
  if ((code & 0xff) == SQLITE_AUTH) return WouldWrite();
  if ((code & 0xff) == SQLITE_TOOBIG) {
    return SqlError("a value is larger than it may be");
  }
  if ((code & 0xff) == SQLITE_NOMEM) {
    return SqlError("it takes more memory than it may");
  }
  return tl::unexpected<Error>(
      Explain(connection.path(), SQLite::Exception(handle, code)));
}

Result<RawStatement> Prepare(Connection& connection, const std::string& sql) {
  // SQLite ends where a zero is, and would answer another question.
  if (const std::size_t zero = sql.find('\0'); zero != sql.npos) {
    return SqlError("has a zero byte, at byte " + std::to_string(zero) +
                    ": leave it out");
  }
  sqlite3* handle = connection.sqlite().getHandle();
  sqlite3_stmt* raw = nullptr;
  const char* tail = nullptr;
  int code = sqlite3_prepare_v2(handle, sql.data(),
                                static_cast<int>(sql.size()), &raw, &tail);
  RawStatement statement(raw);
  if (code != SQLITE_OK) return Failure(connection, code);
  if (!statement) return SqlError("there is no statement");
  if (sqlite3_stmt_readonly(raw) == 0) return WouldWrite();
  // Comments may follow, a second statement may not.
  sqlite3_stmt* second_raw = nullptr;
  const auto rest = static_cast<int>(sql.data() + sql.size() - tail);
  code = sqlite3_prepare_v2(handle, tail, rest, &second_raw, nullptr);
  const RawStatement second(second_raw);
  if (code != SQLITE_OK || second) return WouldWrite();
  return statement;
}

std::string Quoted(const unsigned char* bytes, int size) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "x'";
  for (int i = 0; i < size; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text + "'";
}

Value ReadValue(sqlite3_stmt* statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
      return std::int64_t{sqlite3_column_int64(statement, column)};
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, column);
    case SQLITE_TEXT: {
      const auto* text =
          reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
      return std::string(text, static_cast<std::size_t>(
                                   sqlite3_column_bytes(statement, column)));
    }
    case SQLITE_BLOB: {
      const auto* bytes = static_cast<const unsigned char*>(
          sqlite3_column_blob(statement, column));
      return Quoted(bytes, sqlite3_column_bytes(statement, column));
    }
    default:
      return std::monostate();
  }
}

// Bytes of a value, about.
std::int64_t SizeOf(const Value& value) {
  constexpr std::int64_t kOfNumber = 8;
  const auto* text = std::get_if<std::string>(&value);
  return text == nullptr ? kOfNumber : std::ssize(*text);
}

void BindValue(sqlite3_stmt* statement, int place, const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    sqlite3_bind_int64(statement, place, *whole);
  } else if (const auto* real = std::get_if<double>(&value)) {
    sqlite3_bind_double(statement, place, *real);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    sqlite3_bind_text(statement, place, text->data(),
                      static_cast<int>(text->size()), SQLITE_TRANSIENT);
  }
}

// Whether rows were left.
Result<bool> Run(Connection& connection, const std::string& sql, bool is_strict,
                 const QueryLimits& limits, const RowSink& sink,
                 const Parameters& parameters = {}) {
  std::optional<AuthorizerScope> scope;
  scope.emplace(connection.sqlite().getHandle(), is_strict);
  TRY(statement, Prepare(connection, sql));
  // A table like pragma_table_info asks only when it is read.
  if (!is_strict) scope.reset();
  for (const auto& [name, value] : parameters) {
    const int place =
        sqlite3_bind_parameter_index(statement.get(), name.c_str());
    if (place > 0) BindValue(statement.get(), place, value);
  }
  const int width = sqlite3_column_count(statement.get());
  std::vector<std::string> columns;
  for (int i = 0; i < width; ++i) {
    columns.emplace_back(sqlite3_column_name(statement.get(), i));
  }
  if (sink.header) sink.header(columns);
  std::int64_t rows = 0;
  std::int64_t bytes = 0;
  int code = sqlite3_step(statement.get());
  for (; code == SQLITE_ROW; code = sqlite3_step(statement.get())) {
    if (limits.rows != 0 && rows == limits.rows) return true;
    if (limits.bytes != 0 && bytes > limits.bytes) return true;
    std::vector<Value> row;
    row.reserve(columns.size());
    for (int i = 0; i < width; ++i) {
      row.push_back(ReadValue(statement.get(), i));
      bytes += SizeOf(row.back());
    }
    ++rows;
    if (sink.row) sink.row(row);
  }
  if (code != SQLITE_DONE) return Failure(connection, code);
  return false;
}

// Bytes: of a pattern, of a value of our own questions, and of what SQLite
// keeps for all that strangers ask of the process.
constexpr int kMostOfPattern = 1000;
constexpr int kMostOfOwnValue = 1'000'000;
constexpr std::int64_t kMostOfHeap = 1'000'000'000;

// Limits the length of values on one connection, as long as it lives.
class LengthLimit {
 public:
  LengthLimit(sqlite3* handle, int bytes)
      : handle_(handle),
        before_(sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, bytes)) {
    // A long pattern takes minutes, in which nobody can stop it.
    sqlite3_limit(handle, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, kMostOfPattern);
  }
  ~LengthLimit() { sqlite3_limit(handle_, SQLITE_LIMIT_LENGTH, before_); }
  LengthLimit(const LengthLimit&) = delete;
  LengthLimit& operator=(const LengthLimit&) = delete;

 private:
  sqlite3* handle_;
  int before_;
};

}  // namespace

Result<void> Query(Database& database, const std::string& sql,
                   const RowSink& sink) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<void> {
    TRY_DONE(Run(connection, sql, false, {}, sink));
    return {};
  });
}

Result<bool> QueryWithin(Database& database, const std::string& sql,
                         const QueryLimits& limits, const RowSink& sink) {
  Connection& connection = database.connection();
  sqlite3_hard_heap_limit64(kMostOfHeap);
  const LengthLimit length(connection.sqlite().getHandle(), kMostOfAskedValue);
  return connection.Read(
      [&] { return Run(connection, sql, true, limits, sink); });
}

RowSink Into(Sheet& sheet) {
  return {[&](const std::vector<std::string>& names) { sheet.columns = names; },
          [&](const std::vector<Value>& row) { sheet.rows.push_back(row); }};
}

Result<Sheet> ReadSheet(Database& database, const std::string& sql,
                        const Parameters& parameters,
                        const QueryLimits& limits) {
  Connection& connection = database.connection();
  const LengthLimit length(connection.sqlite().getHandle(), kMostOfOwnValue);
  return connection.Read([&]() -> Result<Sheet> {
    Sheet sheet;
    TRY_ASSIGN(sheet.is_cut,
               Run(connection, sql, false, limits, Into(sheet), parameters));
    return sheet;
  });
}

}  // namespace coppice::store
