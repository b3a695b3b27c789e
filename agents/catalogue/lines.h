// The lines of a text, counted from 1.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace coppice::agents::catalogue {

// Lines first..last of a source, both included.
struct Lines {
  int first = 0;
  int last = 0;
  bool operator==(const Lines&) const = default;
};

// Visits each line with its number, and with its newline if it has one.
template <class Visit>
void EachLine(std::string_view text, Visit visit) {
  int number = 1;
  for (std::size_t at = 0; at < text.size(); ++number) {
    const std::size_t newline = text.find('\n', at);
    const std::size_t end = newline == text.npos ? text.size() : newline + 1;
    visit(number, text.substr(at, end - at));
    at = end;
  }
}

inline std::string LinesOf(std::string_view text, Lines span) {
  std::string lines;
  EachLine(text, [&](int number, std::string_view line) {
    if (number >= span.first && number <= span.last) lines += line;
  });
  return lines;
}

// The text with `lines`, each ended by a newline, in place of the span.
inline std::string WithLines(std::string_view text, Lines span,
                             std::string_view lines) {
  std::string result;
  EachLine(text, [&](int number, std::string_view line) {
    if (number == span.first) result += lines;
    if (number < span.first || number > span.last) result += line;
  });
  return result;
}

}  // namespace coppice::agents::catalogue
