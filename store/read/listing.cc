#include "store/read/listing.h"

#include "store/statement.h"

namespace coppice::store {
namespace {

Value ValueAt(const Statement& row, int column) {
  switch (row.TypeOf(column)) {
    case SQLITE_INTEGER:
      return row.Int(column);
    case SQLITE_FLOAT:
      return row.Real(column);
    case SQLITE_NULL:
      return std::monostate();
    default:
      return row.Text(column);
  }
}

}  // namespace

Listing ListingOf(Statement& statement) {
  Listing listing;
  const int width = statement.Width();
  for (int i = 0; i < width; ++i) {
    listing.columns.push_back(statement.NameOf(i));
  }
  while (statement.Step()) {
    std::vector<Value>& row = listing.rows.emplace_back();
    row.reserve(listing.columns.size());
    for (int i = 0; i < width; ++i) row.push_back(ValueAt(statement, i));
  }
  return listing;
}

}  // namespace coppice::store
