#include "engine/inspector/blame.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include "store/records/unified_diff.h"

namespace coppice::inspector {
namespace {

std::size_t CountLines(std::string_view text) {
  const auto feeds = std::ranges::count(text, '\n');
  return static_cast<std::size_t>(feeds) +
         (!text.empty() && text.back() != '\n' ? 1 : 0);
}

// "@@ -3,2 +3 @@": where lines are replaced by how many others.  If there are
// no lines, the number is that of the line before.
struct Hunk {
  std::size_t old_at = 0, old_count = 1, new_at = 0, new_count = 1;
};

std::size_t ReadRange(std::string_view text, std::size_t& count) {
  unsigned long at = 0;
  unsigned long lines = 1;
  std::sscanf(std::string(text).c_str(), "%lu,%lu", &at, &lines);
  count = lines;
  return lines == 0 ? at : at - 1;
}

std::vector<Hunk> HunksOf(std::string_view before, std::string_view after) {
  const std::string diff = UnifiedDiff({"a", before}, {"b", after}, 0);
  std::vector<Hunk> hunks;
  std::string_view rest = diff;
  std::size_t left = 0;  // Lines of the hunk at hand.
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.starts_with('\\')) continue;  // No newline at the end.
    if (left > 0) {
      --left;
      continue;
    }
    if (!line.starts_with("@@ -")) continue;
    Hunk hunk;
    const std::size_t plus = line.find(" +");
    hunk.old_at = ReadRange(line.substr(4), hunk.old_count);
    hunk.new_at = ReadRange(line.substr(plus + 2), hunk.new_count);
    left = hunk.old_count + hunk.new_count;
    hunks.push_back(hunk);
  }
  return hunks;
}

}  // namespace

std::vector<int> Blame(const std::vector<std::string_view>& sources) {
  std::vector<int> lines;
  std::string_view before;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i].empty()) continue;
    const int generation = static_cast<int>(i);
    std::vector<int> now;
    std::size_t taken = 0;
    for (const Hunk& hunk : HunksOf(before, sources[i])) {
      for (; taken < hunk.old_at && taken < lines.size(); ++taken) {
        now.push_back(lines[taken]);
      }
      now.insert(now.end(), hunk.new_count, generation);
      taken += hunk.old_count;
    }
    for (; taken < lines.size(); ++taken) now.push_back(lines[taken]);
    now.resize(CountLines(sources[i]), generation);
    lines = std::move(now);
    before = sources[i];
  }
  return lines;
}

}  // namespace coppice::inspector
