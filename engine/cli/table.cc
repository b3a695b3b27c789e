#include "engine/cli/table.h"

#include <algorithm>
#include <ostream>

#include "engine/cli/verb.h"

namespace coppice::cli {
namespace {

bool IsContinuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

bool IsControl(char c) {
  return static_cast<unsigned char>(c) < 0x20U || c == 0x7F;
}

// Bytes of such a character at the beginning of `text`; 0: there is none.  In
// UTF-8, U+0080 to U+009F, and what turns the direction of writing (Unicode
// 15, Bidi_Control), so that a text is read in another order than it has.
std::size_t HiddenControl(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const unsigned second = byte(1);
  const unsigned third = byte(2);
  if (byte(0) == 0xC2 && second >= 0x80 && second <= 0x9F) return 2;
  if (byte(0) == 0xD8 && second == 0x9C) return 2;  // U+061C
  if (byte(0) != 0xE2) return 0;
  const bool turns =
      (second == 0x80 && (third == 0x8E || third == 0x8F ||      // U+200E
                          (third >= 0xAA && third <= 0xAE))) ||  // U+202A
      (second == 0x81 && third >= 0xA6 && third <= 0xA9);        // U+2066
  return turns ? 3 : 0;
}

std::string OneLine(std::string_view text) {
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\t'; },
      ' ');
  return Printable(line);
}

}  // namespace

std::string Printable(std::string_view text) {
  std::string printable;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t hidden = HiddenControl(text.substr(i));
    const bool is_bare =
        IsControl(text[i]) && text[i] != '\n' && text[i] != '\t';
    printable += hidden > 0 || is_bare ? '?' : text[i];
    i += std::max<std::size_t>(hidden, 1);
  }
  return printable;
}

std::size_t DisplayWidth(std::string_view utf8) {
  return static_cast<std::size_t>(std::count_if(
      utf8.begin(), utf8.end(), [](char c) { return !IsContinuation(c); }));
}

std::string Shorten(std::string_view text, std::size_t width) {
  std::string line = OneLine(text);
  if (DisplayWidth(line) <= width) return line;
  const std::string_view ellipsis = width >= 3 ? "..." : "";
  std::size_t keep = 0;
  for (std::size_t shown = 0; keep < line.size(); ++keep) {
    if (!IsContinuation(line[keep]) && ++shown > width - ellipsis.size()) break;
  }
  line.resize(keep);
  return line.append(ellipsis);
}

void Table::AddRow(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = OneLine(cell);
  rows_.push_back(std::move(cells));
}

void Table::Print(Streams& streams) const {
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) {
    widths.push_back(DisplayWidth(column.title));
  }
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], DisplayWidth(row[i]));
    }
  }
  const auto terminal = static_cast<std::size_t>(std::max(1, streams.columns));
  const auto print = [&](const auto& cell_of) {
    std::string line;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string& cell = cell_of(i);
      const std::string padding(widths[i] - DisplayWidth(cell), ' ');
      const bool left = columns_[i].align == Align::kLeft;
      line += (i == 0 ? "" : "  ") + (left ? cell + padding : padding + cell);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    streams.out << (streams.out_is_terminal ? Shorten(line, terminal) : line)
                << "\n";
  };
  print([&](std::size_t i) -> const std::string& { return columns_[i].title; });
  for (const auto& row : rows_) {
    print([&](std::size_t i) -> const std::string& { return row[i]; });
  }
}

}  // namespace coppice::cli
