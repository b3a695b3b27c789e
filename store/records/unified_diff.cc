#include "store/records/unified_diff.h"

#include <algorithm>
#include <dtl/dtl.hpp>
#include <vector>

namespace coppice {
namespace {

using Lines = std::vector<std::string_view>;

// Each with its newline, if it has one.
Lines Split(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

struct Step {
  char sign;  // ' ', '-' or '+'.
  std::string_view line;
};

std::vector<Step> Script(const Lines& before, const Lines& after) {
  dtl::Diff<std::string_view> diff(before, after, true);  // Deleted first.
  diff.compose();
  std::vector<Step> steps;
  for (const auto& [line, info] : diff.getSes().getSequence()) {
    steps.push_back({" +-"[(info.type + 3) % 3], line});
  }
  return steps;
}

// "12,7" of a hunk that follows `before` lines; a hunk without lines is said
// to be after the line before it.
std::string Range(std::size_t before, std::size_t count) {
  const std::size_t first = count == 0 ? before : before + 1;
  std::string text = std::to_string(first);
  return count == 1 ? text : text + "," + std::to_string(count);
}

void AppendHunk(const std::vector<Step>& steps, std::size_t from,
                std::size_t to, std::string& text) {
  const auto count = [&](std::size_t begin, std::size_t end, char other) {
    return static_cast<std::size_t>(std::count_if(
        steps.begin() + static_cast<std::ptrdiff_t>(begin),
        steps.begin() + static_cast<std::ptrdiff_t>(end),
        [other](const Step& step) { return step.sign != other; }));
  };
  text += "@@ -" + Range(count(0, from, '+'), count(from, to, '+')) + " +" +
          Range(count(0, from, '-'), count(from, to, '-')) + " @@\n";
  for (std::size_t i = from; i < to; ++i) {
    text += steps[i].sign;
    text += steps[i].line;
    if (!steps[i].line.ends_with('\n')) {
      text += "\n\\ No newline at end of file\n";
    }
  }
}

}  // namespace

std::string UnifiedDiff(const DiffSide& before, const DiffSide& after,
                        std::size_t context) {
  const std::vector<Step> steps = Script(Split(before.text), Split(after.text));
  const auto next_change = [&](std::size_t from) {
    while (from < steps.size() && steps[from].sign == ' ') ++from;
    return from;
  };
  std::string text;
  std::size_t change = next_change(0);
  while (change < steps.size()) {
    const std::size_t from = change - std::min(change, context);
    std::size_t end = change;  // After the hunk's last change.
    // Changes with no more than 2 * context lines between them share a hunk.
    while (change < steps.size() && change <= end + 2 * context) {
      end = change + 1;
      change = next_change(end);
    }
    if (text.empty()) {
      text = "--- " + before.label + "\n+++ " + after.label + "\n";
    }
    AppendHunk(steps, from, std::min(end + context, steps.size()), text);
  }
  return text;
}

}  // namespace coppice
