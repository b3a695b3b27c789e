#include "store/records/nearest_name.h"

#include <algorithm>

namespace coppice {
namespace {

std::size_t Distance(std::string_view a, std::string_view b) {
  // Three rows of the table of prefix distances.
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::move(above);
    above = std::move(row);
    row.assign(b.size() + 1, i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced =
          above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<std::string> NearestName(
    std::string_view word, const std::vector<std::string>& candidates) {
  std::optional<std::string> nearest;
  std::size_t least = (word.size() + 2) / 3 + 1;
  for (const std::string& candidate : candidates) {
    // Not even by insertions alone; and a word may be as long as a file.
    if (std::max(word.size(), candidate.size()) >=
        std::min(word.size(), candidate.size()) + least) {
      continue;
    }
    const std::size_t distance = Distance(word, candidate);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string NearestAndAll(std::string_view word,
                          const std::vector<std::string>& names) {
  const auto nearest = NearestName(word, names);
  std::string text = nearest ? "; did you mean " + *nearest + "?" : ".";
  text += " Choose one of:";
  for (const std::string& name : names) text += " " + name;
  return text;
}

}  // namespace coppice
