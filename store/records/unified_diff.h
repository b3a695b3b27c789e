// The difference of two texts, as diff -u prints it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace coppice {

struct DiffSide {
  std::string label;  // Of the --- or +++ line.
  std::string_view text;
};

// Empty if the texts are equal.  `context` unchanged lines surround a change.
// The script is a shortest one (Myers 1986, "An O(ND) difference algorithm",
// Algorithmica 1, with its linear-space refinement).
std::string UnifiedDiff(const DiffSide& before, const DiffSide& after,
                        std::size_t context = 3);

}  // namespace coppice
