// Where the characters of a text of UTF-8 are, and where it may be cut.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace coppice {

struct Utf8Character {
  char32_t code = 0;
  std::size_t bytes = 0;
};

// The well-formed character that `text` begins with (Unicode 15, table 3-7); of
// no bytes: it begins with none.
Utf8Character FirstCharacter(std::string_view text);

// Whether all of it is well-formed.
bool IsUtf8(std::string_view text);

// Whether the byte there continues a character that began before it.
bool IsWithinCharacter(std::string_view text, std::size_t at);

// The most bytes of `text`, up to `bytes`, that end between characters.
std::size_t WholeCharacters(std::string_view text, std::size_t bytes);

// A log's first 40 lines, at most 8 kB of it.
std::string HeadOf(std::string_view log);

}  // namespace coppice
