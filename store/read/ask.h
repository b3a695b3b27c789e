// One statement as a listing.  Private to this folder.
#pragma once

#include <string_view>

#include "store/connection.h"
#include "store/read/listing.h"

namespace coppice::store {

template <class... Values>
Result<Listing> Ask(Database& database, std::string_view sql,
                    const Values&... values) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<Listing> {
    Statement statement = connection.Prepare(sql, values...);
    return ListingOf(statement);
  });
}

}  // namespace coppice::store
