// Texts as a terminal shows them: how wide they are, and cut to a width.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace coppice::engine {

// With control characters replaced by '?', except newline and tab, and likewise
// those of Unicode that nobody sees (store/records/hidden_characters.h).
std::string Printable(std::string_view text);

// The same on one line.
std::string OneLine(std::string_view text);

// Number of cells: of a letter of Chinese, Japanese or Korean and of a picture
// two, of a mark on another character none.
std::size_t DisplayWidth(std::string_view utf8);

// `text` on one line of at most `width` cells, with "..." where it was cut.
std::string Shorten(std::string_view text, std::size_t width);

}  // namespace coppice::engine
