#include "store/records/repeated_lines.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "store/records/trimmed.h"

namespace coppice {
namespace {

using LineSet = std::set<std::string_view>;

LineSet LineSetOf(std::string_view source) {
  LineSet lines;
  while (!source.empty()) {
    std::string_view line = source.substr(0, source.find('\n'));
    source.remove_prefix(std::min(line.size() + 1, source.size()));
    line = Trimmed(line);
    const bool says_something = std::ranges::any_of(
        line, [](unsigned char c) { return std::isalnum(c) != 0; });
    if (says_something) lines.insert(line);
  }
  return lines;
}

}  // namespace

RepeatedLines CountRepeatedLines(std::string_view source,
                                 std::span<const Forebear> lineage) {
  RepeatedLines again;
  if (lineage.empty()) return again;
  LineSet fresh = LineSetOf(source);
  for (const std::string_view line : LineSetOf(lineage.front().source)) {
    fresh.erase(line);
  }
  std::map<NodeId, std::int64_t> deleted;  // By whom.
  for (std::size_t i = 1; i < lineage.size() && !fresh.empty(); ++i) {
    for (const std::string_view line : LineSetOf(lineage[i].source)) {
      if (fresh.erase(line) > 0) ++deleted[lineage[i - 1].node];
    }
  }
  std::int64_t most = 0;
  for (const auto& [node, lines] : deleted) {
    again.lines += lines;
    if (lines < most) continue;
    most = lines;
    again.deleted_by = node;
  }
  return again;
}

std::string RepeatedLinesText(const RepeatedLines& again) {
  if (!again.deleted_by) return "";
  return "writes again " + std::to_string(again.lines) +
         (again.lines == 1 ? " line" : " lines") +
         " that its lineage deleted (most by node " +
         std::to_string(Index(*again.deleted_by)) + ")";
}

}  // namespace coppice
