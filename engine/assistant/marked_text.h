// An answer in pieces, by what holds of each: what it cites, whether that is
// there, and which of its numbers stand in no result of a tool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/assistant/citations.h"
#include "engine/assistant/tools.h"
#include "store/records/result.h"

namespace coppice::assistant {

enum class Mark : std::uint8_t {
  kNone,
  kCited,     // A citation of what is there.
  kMissing,   // A citation of what is not.
  kNotFound,  // A number that no tool has shown.
};

struct MarkedSpan {
  Mark mark = Mark::kNone;
  std::string text;     // A citation's has its brackets.
  Citation citation{};  // For kCited and kMissing.
};

// The pieces together are the text.
Result<std::vector<MarkedSpan>> MarkText(std::string_view text, Tools& tools);

// How much of a text that still grows can be marked: its end may be half a
// number or half a citation.
std::size_t MarkableBytes(std::string_view text);

}  // namespace coppice::assistant
