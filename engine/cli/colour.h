// Colour on a terminal that wants it; plain text elsewhere.
#pragma once

#include <string>
#include <string_view>

namespace coppice::cli {

enum class Colour : int { kRed = 31, kGreen = 32, kYellow = 33, kCyan = 36 };

inline std::string Paint(bool is_wanted, Colour colour, std::string_view text) {
  if (!is_wanted || text.empty()) return std::string(text);
  return "\033[" + std::to_string(static_cast<int>(colour)) + "m" +
         std::string(text) + "\033[0m";
}

}  // namespace coppice::cli
