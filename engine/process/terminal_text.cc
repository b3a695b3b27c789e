#include "engine/process/terminal_text.h"

#include <algorithm>
#include <iterator>

#include "store/records/hidden_characters.h"
#include "store/records/utf8.h"

namespace coppice::engine {
namespace {

// Whether it is a control of ASCII or, from 0x80 on, of its extensions to 8
// bits.
bool IsControl(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20U || (byte >= 0x7FU && byte <= 0x9FU);
}

struct Range {
  char32_t first;
  char32_t last;
};

bool IsIn(char32_t c, const Range* begin, const Range* end) {
  return std::any_of(begin, end, [c](const Range& range) {
    return c >= range.first && c <= range.last;
  });
}

// Unicode 15: East Asian Width W and F, and Emoji_Presentation, by blocks.
constexpr Range kWide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x23E9, 0x23EC},
    {0x25FD, 0x25FE},   {0x2614, 0x2615},   {0x2648, 0x2653},
    {0x2705, 0x2705},   {0x2728, 0x2728},   {0x2753, 0x2755},
    {0x2795, 0x2797},   {0x2B1B, 0x2B1C},   {0x2B50, 0x2B50},
    {0x2E80, 0x303E},   {0x3041, 0xA4CF},   {0xA960, 0xA97F},
    {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},
    {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x16FE0, 0x18DFF},
    {0x1AFF0, 0x1B2FF}, {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF},
    {0x1F7E0, 0x1F7EB}, {0x1F900, 0x1FAFF}, {0x20000, 0x3FFFD}};

// Marks on the character before, joiners and selectors of its form.
constexpr Range kNoCell[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489},   {0x0591, 0x05BD},  {0x064B, 0x065F},
    {0x0E34, 0x0E3A}, {0x0E47, 0x0E4E},   {0x1AB0, 0x1AFF},  {0x1DC0, 0x1DFF},
    {0x200B, 0x200D}, {0x2060, 0x2064},   {0x20D0, 0x20FF},  {0xFE00, 0xFE0F},
    {0xFE20, 0xFE2F}, {0x1F3FB, 0x1F3FF}, {0xE0100, 0xE01EF}};

struct Character {
  std::size_t bytes = 1;
  std::size_t cells = 1;
  bool is_hidden = false;
};

// The first of a text that is not empty.  A byte that begins none stands for
// itself.
Character FirstOf(std::string_view text) {
  const auto [code, bytes] = FirstCharacter(text);
  if (bytes <= 1) return {};
  const bool is_hidden = IsHidden(code);
  if (IsIn(code, std::begin(kNoCell), std::end(kNoCell))) {
    return {bytes, 0, is_hidden};
  }
  if (IsIn(code, std::begin(kWide), std::end(kWide))) {
    return {bytes, 2, is_hidden};
  }
  return {bytes, 1, is_hidden};
}

// How many bytes take so many cells at most.
std::size_t BytesWithin(std::string_view text, std::size_t cells) {
  std::size_t bytes = 0;
  for (std::size_t used = 0; bytes < text.size();) {
    const Character next = FirstOf(text.substr(bytes));
    used += next.cells;
    if (used > cells) break;
    bytes += next.bytes;
  }
  return bytes;
}

}  // namespace

std::string Printable(std::string_view text) {
  std::string printable;
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view rest = text.substr(i);
    const Character first = FirstOf(rest);
    const bool is_bare = first.bytes == 1 && IsControl(text[i]) &&
                         text[i] != '\n' && text[i] != '\t';
    if (is_bare || first.is_hidden) {
      printable += '?';
    } else {
      printable += rest.substr(0, first.bytes);
    }
    i += first.bytes;
  }
  return printable;
}

std::string OneLine(std::string_view text) {
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\t'; },
      ' ');
  return Printable(line);
}

std::size_t DisplayWidth(std::string_view utf8) {
  std::size_t cells = 0;
  while (!utf8.empty()) {
    const Character first = FirstOf(utf8);
    cells += first.cells;
    utf8.remove_prefix(first.bytes);
  }
  return cells;
}

std::string Shorten(std::string_view text, std::size_t width) {
  std::string line = OneLine(text);
  if (DisplayWidth(line) <= width) return line;
  const std::string_view ellipsis = width >= 3 ? "..." : "";
  line.resize(BytesWithin(line, width - ellipsis.size()));
  return line.append(ellipsis);
}

}  // namespace coppice::engine
