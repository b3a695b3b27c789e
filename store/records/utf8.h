// Where a text of UTF-8 may be cut.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace coppice {

// Whether the byte there continues a character that began before it.
bool IsWithinCharacter(std::string_view text, std::size_t at);

// The most bytes of `text`, up to `bytes`, that end between characters.
std::size_t WholeCharacters(std::string_view text, std::size_t bytes);

// A log's first 40 lines, at most 8 kB of it.
std::string HeadOf(std::string_view log);

}  // namespace coppice
