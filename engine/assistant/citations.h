// What an answer cites: [[n:4088]] is a node, [[d:17]] a decision, [[n:4..n:9]]
// all from one to another, and [[gemv.s1/n:4]] one of another campaign.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace coppice::assistant {

enum class Cited : std::uint8_t {
  kNothing,  // What is in the brackets is no citation.
  kNode,
  kDecision,
};

struct Citation {
  std::size_t begin = 0;  // In the text, with its brackets.
  std::size_t end = 0;
  Cited what = Cited::kNothing;
  std::string campaign;  // Empty: the one that was asked of.
  std::int64_t first = 0;
  std::int64_t last = 0;  // The same, if it is one.
};

// Finds citations in order.  One that is not closed is none.
std::vector<Citation> FindCitations(std::string_view text);

}  // namespace coppice::assistant
