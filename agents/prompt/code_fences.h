// Fenced code blocks of a markdown text, by CommonMark's rules (section 4.5)
// except that a fence may be indented at will: models put them in lists.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace coppice::agents {

struct FencedBlock {
  std::size_t offset = 0;  // Of the line of the opening fence, in bytes.
  int line = 1;            // The same, counted from 1.
  std::string content;     // Lines between the fences, each ended by '\n'.
  bool closed = false;     // False: the text ended first.
};

// In order of appearance.  REQUIRES: lines end in '\n' alone.
std::vector<FencedBlock> FindFencedBlocks(std::string_view text);

}  // namespace coppice::agents
