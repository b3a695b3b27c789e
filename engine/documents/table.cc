#include "engine/documents/table.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <ostream>
#include <set>
#include <utility>

#include "engine/documents/verb.h"

namespace coppice::cli {
namespace {

// A last column that fits nowhere whole is cut to so many characters or more.
constexpr std::size_t kEnoughOfTheLast = 20;

// How many columns name a row: those in front that no two rows have in common.
// One, if these would take more than half of the terminal, or if all fit in it.
std::size_t NamingColumns(const std::vector<std::vector<std::string>>& rows,
                          const std::vector<std::size_t>& widths,
                          std::size_t terminal) {
  const std::size_t all =
      std::accumulate(widths.begin(), widths.end(), 2 * widths.size());
  if (all <= terminal) return 1;
  std::vector<std::string> names(rows.size());
  std::size_t used = 0;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    used += widths[i] + 2;
    if (used > terminal / 2) break;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      names[row] += rows[row][i] + '\n';
    }
    if (std::set(names.begin(), names.end()).size() == rows.size()) {
      return i + 1;
    }
  }
  return 1;
}

// Columns by the block that shows them, each block at most `terminal` wide
// where it can be.  All begin with the first `naming` columns.
std::vector<std::vector<std::size_t>> Blocks(
    const std::vector<std::size_t>& widths, std::size_t naming,
    std::size_t terminal) {
  std::vector<std::vector<std::size_t>> blocks;
  std::size_t used = 0;
  std::size_t names_used = 0;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const bool would_be_cut =
        i + 1 == widths.size() && names_used + widths[i] > terminal;
    const std::size_t least =
        would_be_cut ? std::min(widths[i], kEnoughOfTheLast) : widths[i];
    const bool is_named = !blocks.empty() && blocks.back().size() > naming;
    if (blocks.empty() || (is_named && used + least > terminal)) {
      blocks.emplace_back();
      for (std::size_t name = 0; name < std::min(i, naming); ++name) {
        blocks.back().push_back(name);
      }
      used = names_used;
    }
    blocks.back().push_back(i);
    used += widths[i] + 2;
    if (i < naming) names_used = used;
  }
  return blocks;
}

}  // namespace

void Table::AddRow(std::vector<std::string> cells) {
  std::vector<std::string>& row = rows_.emplace_back();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (given_[i].is_shown) row.push_back(OneLine(cells[i]));
  }
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
  const std::size_t terminal =
      streams.out_is_terminal
          ? static_cast<std::size_t>(std::max(1, streams.columns))
          : std::numeric_limits<std::size_t>::max();
  const auto print = [&](const std::vector<std::size_t>& block,
                         const auto& cell_of) {
    std::string line;
    for (const std::size_t i : block) {
      const std::string& cell = cell_of(i);
      const std::string padding(widths[i] - DisplayWidth(cell), ' ');
      const bool left = columns_[i].align == Align::kLeft;
      line += (i == 0 ? "" : "  ") + (left ? cell + padding : padding + cell);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    streams.out << Shorten(line, terminal) << "\n";
  };
  bool is_first = true;
  const std::size_t naming = NamingColumns(rows_, widths, terminal);
  for (const auto& block : Blocks(widths, naming, terminal)) {
    if (!std::exchange(is_first, false)) streams.out << "\n";
    print(block, [&](std::size_t i) -> const std::string& {
      return columns_[i].title;
    });
    for (const auto& row : rows_) {
      print(block, [&](std::size_t i) -> const std::string& { return row[i]; });
    }
  }
}

void PrintField(Streams& streams, std::string_view name,
                const std::string& value) {
  std::string head(name);
  head.resize(std::max<std::size_t>(head.size() + 1, 12), ' ');
  streams.out << head << Printable(value) << "\n";
}

}  // namespace coppice::cli
