// A source as lines, told apart into code and not code.  By the look of a line
// alone: nothing is known of string literals, and comments are those opened by
// `//`, `/*` and `#` followed by a blank.
#pragma once

#include <string_view>
#include <vector>

namespace coppice::agents {

struct SourceLine {
  std::string_view text;  // Without its end and trailing blanks.
  bool code = false;      // False: blank, or nothing but comment.
};

// A final newline ends the last line and begins no other.  The lines point into
// `source`.
std::vector<SourceLine> SplitLines(std::string_view source);

// True if `text` is blanks and at most one comment that ends with it.
bool OnlyComment(std::string_view text);

}  // namespace coppice::agents
