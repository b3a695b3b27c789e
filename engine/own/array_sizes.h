// How large the arrays of a function are, by the loops around each subscript.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agents/catalogue/poly.h"
#include "agents/catalogue/stmt.h"

namespace coppice::engine::own {

// What the names in an array's subscripts propose, where they do not tell.
struct ProposedShape {
  std::vector<std::string> axes;    // "m", "lda"; empty: nothing.
  std::vector<std::string> in_row;  // Sizes that go along a row.
};

struct ArraySizes {
  // Row-major; products and sums of sizes.
  std::map<std::string, std::vector<agents::catalogue::Poly>> dims;
  // Where a row is longer than what is used of it: what is.
  std::map<std::string, agents::catalogue::Poly> used;  // By the row's name.
  // Arrays whose elements are subscripts of another array, by name.
  std::map<std::string, std::string> index_of;
  // Arrays whose elements are a part of another's subscripts: x[8 * at[i] + j].
  std::map<std::string, std::string> picks;
  // Arrays whose neighbouring elements are the ends of a row, with the name of
  // how many rows there are.
  std::map<std::string, std::string> row_ends;
  // Tells for each array whether it is written, and what happens first to it in
  // the text.
  std::set<std::string> written;
  std::set<std::string> read_first;
  std::set<std::string> given_first;  // Of read_first, to another function.
  std::map<std::string, ProposedShape> proposed;
  int depth = 0;  // Of loops.
};

// `sizes` are the names that may occur in an extent.
ArraySizes ArraySizesOf(const agents::catalogue::StmtList& body,
                        const std::set<std::string>& arrays,
                        const std::set<std::string>& sizes,
                        const agents::catalogue::Definitions& definitions);

}  // namespace coppice::engine::own
