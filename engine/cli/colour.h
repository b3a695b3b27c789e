// Colour on a terminal that wants it; plain text elsewhere.
#pragma once

#include <string>
#include <string_view>

#include "engine/documents/verb.h"

namespace coppice::cli {

enum class Colour : int { kRed = 31, kGreen = 32, kYellow = 33, kCyan = 36 };

inline std::string Paint(const Streams& streams, Colour colour,
                         std::string_view text) {
  if (!streams.colour || text.empty()) return std::string(text);
  return "\033[" + std::to_string(static_cast<int>(colour)) + "m" +
         std::string(text) + "\033[0m";
}

}  // namespace coppice::cli
