// For tests: what the views that rest on sums say, worked out from what is
// summed.
#pragma once

#include <span>
#include <string>

namespace coppice::store {

struct Recount {
  const char* view;
  const char* sql;  // Selects the rows that the view shall have.
};

std::span<const Recount> ViewRecounts();

// Selects the number of rows that only one of the two has.
std::string DifferencesSql(const Recount& recount);

}  // namespace coppice::store
