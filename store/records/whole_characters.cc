#include "store/records/whole_characters.h"

#include <algorithm>

namespace coppice {

bool IsWithinCharacter(std::string_view text, std::size_t at) {
  return at < text.size() && (text[at] & 0xC0) == 0x80;
}

std::size_t WholeCharacters(std::string_view text, std::size_t bytes) {
  std::size_t end = std::min(bytes, text.size());
  while (end > 0 && IsWithinCharacter(text, end)) --end;
  return end;
}

}  // namespace coppice
