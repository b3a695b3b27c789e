#include "engine/cli/diff_text.h"

#include <ostream>
#include <sstream>

#include "engine/cli/colour.h"
#include "engine/documents/table.h"

namespace coppice::cli {

void PrintDiff(const std::string& diff, Streams& streams) {
  if (!streams.out_is_terminal) {
    streams.out << diff;
    return;
  }
  std::istringstream lines(diff);
  for (std::string line; std::getline(lines, line);) {
    const std::string shown = Printable(line);
    if (line.starts_with('+')) {
      streams.out << Paint(streams.colour, Colour::kGreen, shown);
    } else if (line.starts_with('-')) {
      streams.out << Paint(streams.colour, Colour::kRed, shown);
    } else if (line.starts_with('@')) {
      streams.out << Paint(streams.colour, Colour::kCyan, shown);
    } else {
      streams.out << shown;
    }
    streams.out << "\n";
  }
}

}  // namespace coppice::cli
