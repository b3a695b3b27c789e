// The body of a function in the words that the catalogue reads.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace coppice::engine::own {

// All dimensions but the first of each array with several.
using Dimensions = std::map<std::string, std::vector<std::string>>;

// a[i][j] of such an array as a[(i) * (M) + j], `for (i = 0; ...)` of a
// variable that is used in such loops alone as `for (int i = 0; ...)`, and C's
// restrict as C++ has it.
std::string PreparedBody(const std::string& body, const Dimensions& arrays);

}  // namespace coppice::engine::own
