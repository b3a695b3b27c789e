// The rows of one statement.  Private to this folder.
#pragma once

#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "store/connection.h"
#include "store/database.h"
#include "store/records/result.h"

namespace coppice::store {

// All that `sql` gives for these values, each as `row_of` makes it.
template <class RowOf, class... Values>
auto ReadRows(Database& database, std::string_view sql, RowOf row_of,
              const Values&... values) {
  using Found = std::vector<std::invoke_result_t<RowOf, const Statement&>>;
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<Found> {
    return connection.Rows(sql, row_of, values...);
  });
}

// The first row of that; none: there is no row.
template <class RowOf, class... Values>
auto ReadOne(Database& database, std::string_view sql, RowOf row_of,
             const Values&... values) {
  using Found = std::optional<std::invoke_result_t<RowOf, const Statement&>>;
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<Found> {
    Statement read = connection.Prepare(sql, values...);
    if (!read.Step()) return Found();
    return Found(row_of(read));
  });
}

// The first column of that; none: there is no row, or it is NULL.
template <class Value, class... Values>
Result<std::optional<Value>> ReadValue(Database& database, std::string_view sql,
                                       const Values&... values) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<std::optional<Value>> {
    return connection.Find<Value>(sql, values...);
  });
}

// That column as a whole number; 0: there is no row, or it is NULL.
template <class... Values>
Result<std::int64_t> ReadNumber(Database& database, std::string_view sql,
                                const Values&... values) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<std::int64_t> {
    return connection.Number(sql, values...);
  });
}

}  // namespace coppice::store
