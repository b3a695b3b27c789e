// The source text of the functions that math() calls.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace coppice::agents::catalogue {

struct MathHelper {
  std::string_view replaces;  // "exp"
  std::string_view variant;   // "", "rough", "quick"
  std::string_view name;      // "VectorExp"
  std::string_view source;    // Of the function.
  std::string_view needs;     // The name of another helper, or empty.
};

// Null if there is none.
const MathHelper* FindMathHelper(std::string_view function,
                                 std::string_view variant);

// The sources to stand in the file, in order, for a call of `helper`.
std::vector<std::string> HelperSources(const MathHelper& helper);

}  // namespace coppice::agents::catalogue
