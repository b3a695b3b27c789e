// The rows of one statement.  Private to this folder.
#pragma once

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
    Found rows;
    Statement read = connection.Prepare(sql);
    read.Bind(values...);
    while (read.Step()) rows.push_back(row_of(read));
    return rows;
  });
}

}  // namespace coppice::store
