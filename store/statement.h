// A prepared statement, on loan from the connection that keeps it prepared.
// Bind what the question marks stand for, in order; then Run or Step.
//
// Throws SQLite::Exception; only Connection's Read and Write catch it.
#pragma once

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Statement.h>
#include <sqlite3.h>

#include <array>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "store/records/uuid.h"

namespace coppice::store {

struct Finalize {
  void operator()(sqlite3_stmt* statement) const {
    sqlite3_finalize(statement);
  }
};
// For what SQLiteCpp's statement cannot do.
using RawStatement = std::unique_ptr<sqlite3_stmt, Finalize>;

// Bytes that are stored as BLOB rather than TEXT.
struct Bytes {
  explicit Bytes(std::string_view bytes) : view(bytes) {}
  template <std::size_t kSize>
  explicit Bytes(const std::array<std::uint8_t, kSize>& bytes)
      : view(reinterpret_cast<const char*>(bytes.data()), kSize) {}
  std::string_view view;
};

class Statement {
 public:
  explicit Statement(SQLite::Statement& prepared) : prepared_(prepared) {}
  // With these values bound: who throws here resets it, too.
  template <class... Values>
  requires(sizeof...(Values) >
           0) explicit Statement(SQLite::Statement& prepared,
                                 const Values&... values)
      : Statement(prepared) {
    Bind(values...);
  }
  ~Statement() {
    prepared_.tryReset();
    prepared_.clearBindings();
  }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  template <class... Values>
  Statement& Bind(const Values&... values) {
    [[maybe_unused]] int index = 0;
    (BindNext(index, values), ...);
    return *this;
  }

  bool Step() { return prepared_.executeStep(); }
  void Run() { prepared_.executeStep(); }

  // Columns of the row at hand, from 0.
  bool IsNull(int column) const { return prepared_.isColumnNull(column); }
  int Width() const { return prepared_.getColumnCount(); }
  std::string NameOf(int column) const {
    return prepared_.getColumnName(column);
  }
  // SQLITE_INTEGER and so on.
  int TypeOf(int column) const { return Column(column).getType(); }
  std::int64_t Int(int column) const { return Column(column).getInt64(); }
  double Real(int column) const { return Column(column).getDouble(); }
  std::string Text(int column) const { return Column(column).getString(); }

  // What Bind takes: a number, an enum by its stored number, or a text.
  template <class Value>
  Value As(int column) const {
    if constexpr (std::is_same_v<Value, std::string>) {
      return Text(column);
    } else if constexpr (std::floating_point<Value>) {
      return static_cast<Value>(Real(column));
    } else {
      return static_cast<Value>(Int(column));
    }
  }
  template <class Value>
  std::optional<Value> OptionalAs(int column) const {
    if (IsNull(column)) return std::nullopt;
    return As<Value>(column);
  }
  std::optional<std::int64_t> OptionalInt(int column) const {
    return OptionalAs<std::int64_t>(column);
  }
  std::optional<double> OptionalReal(int column) const {
    return OptionalAs<double>(column);
  }
  std::optional<std::string> OptionalText(int column) const {
    return OptionalAs<std::string>(column);
  }
  // Valid until the next Step.
  std::string_view View(int column) const {
    const SQLite::Column value = Column(column);
    const auto* data = static_cast<const char*>(value.getBlob());
    return {data == nullptr ? "" : data,
            static_cast<std::size_t>(value.getBytes())};
  }
  coppice::Uuid Uuid(int column) const;

 private:
  SQLite::Column Column(int column) const {
    return prepared_.getColumn(column);
  }

  // One place for each.
  void BindNext(int& index, const std::vector<std::string>& values) {
    for (const std::string& value : values) BindOne(++index, value);
  }
  template <class Value>
  void BindNext(int& index, const Value& value) {
    BindOne(++index, value);
  }

  template <class Value>
  void BindOne(int index, const Value& value) {
    if constexpr (std::is_enum_v<Value>) {
      prepared_.bind(index, static_cast<std::int64_t>(value));
    } else if constexpr (std::integral<Value>) {
      prepared_.bind(index, static_cast<std::int64_t>(value));
    } else if constexpr (std::floating_point<Value>) {
      prepared_.bind(index, static_cast<double>(value));
    } else if constexpr (std::is_same_v<Value, std::string>) {
      prepared_.bind(index, value);
    } else if constexpr (std::is_same_v<Value, Bytes>) {
      prepared_.bind(index, static_cast<const void*>(value.view.data()),
                     static_cast<int>(value.view.size()));
    } else if constexpr (std::is_same_v<Value, coppice::Uuid>) {
      BindOne(index, Bytes(value.bytes));
    } else {
      prepared_.bind(index, std::string(value));
    }
  }
  template <class Value>
  void BindOne(int index, const std::optional<Value>& value) {
    if (value) {
      BindOne(index, *value);
    } else {
      prepared_.bind(index);
    }
  }

  SQLite::Statement& prepared_;
};

}  // namespace coppice::store
