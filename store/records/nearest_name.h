// "Did you mean": the known word that a mistyped one most likely stands for.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace coppice {

// The candidate with the fewest insertions, deletions, replacements and swaps
// of neighbours (optimal string alignment distance), if these are at most a
// third of `word`, rounded up; the first one of equals.
std::optional<std::string> NearestName(
    std::string_view word, const std::vector<std::string>& candidates);

// What is said of a word that is none of `names`: "; did you mean a? Choose one
// of: a b", or ". Choose one of: a b".
std::string NearestAndAll(std::string_view word,
                          const std::vector<std::string>& names);

}  // namespace coppice
