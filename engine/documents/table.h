// A table in columns of equal width, for people to read.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/process/terminal_text.h"

namespace coppice::cli {

struct Streams;

enum class Align : std::uint8_t { kLeft, kRight };

struct Column {
  Column(std::string words, Align side = Align::kLeft)
      : title(std::move(words)), align(side) {}
  Column(const char* words) : title(words) {}

  std::string title;
  Align align = Align::kLeft;
  bool is_shown = true;
};

inline Column Right(std::string title) {
  return {std::move(title), Align::kRight};
}

// A column that a table is printed without, unless somebody has something in
// it.
inline Column OnlyIf(bool is_shown, Column column) {
  column.is_shown = is_shown;
  return column;
}

class Table {
 public:
  explicit Table(std::vector<Column> columns) : given_(std::move(columns)) {
    for (const Column& column : given_) {
      if (column.is_shown) columns_.push_back(column);
    }
  }

  // REQUIRES: as many cells as columns.  UTF-8; control characters are shown
  // as '?', so that no stored text can steer a terminal.
  void AddRow(std::vector<std::string> cells);

  // On a terminal, columns that do not fit beside the others follow below them,
  // and the last one ends where the terminal does.
  void Print(Streams& streams) const;

 private:
  std::vector<Column> given_;
  std::vector<Column> columns_;  // Those that are shown.
  std::vector<std::vector<std::string>> rows_;
};

// "name        value": a fact of a list of them.
void PrintField(Streams& streams, std::string_view name,
                const std::string& value);

using engine::DisplayWidth;
using engine::OneLine;
using engine::Printable;
using engine::Shorten;

}  // namespace coppice::cli
