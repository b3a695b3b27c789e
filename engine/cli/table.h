// A table in columns of equal width, for people to read.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace coppice::cli {

struct Streams;

enum class Align : std::uint8_t { kLeft, kRight };

struct Column {
  std::string title;
  Align align = Align::kLeft;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // REQUIRES: as many cells as columns.  UTF-8; control characters are shown
  // as '?', so that no stored text can steer a terminal.
  void AddRow(std::vector<std::string> cells);

  // On a terminal, the last column ends where the terminal does.
  void Print(Streams& streams) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Number of characters, as a terminal counts columns for Latin text.
std::size_t DisplayWidth(std::string_view utf8);

// `text` on one line of at most `width` characters, with "..." where it was
// cut.
std::string Shorten(std::string_view text, std::size_t width);

// With control characters replaced by '?', except newline and tab, and likewise
// those of Unicode that turn the direction of what follows.
std::string Printable(std::string_view text);

}  // namespace coppice::cli
