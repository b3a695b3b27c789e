// MeasureEdits of agents/prompt/grounded_instructions.h.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/prompt/grounded_instructions.h"
#include "agents/prompt/source_lines.h"

namespace coppice::agents {
namespace {

constexpr std::size_t kMostPairs = 16'000'000;

using Lines = std::vector<std::string_view>;

// A run of old lines [from, to) replaced by `inserted` new ones.
struct Hunk {
  std::size_t from = 0;
  std::size_t to = 0;
  std::size_t inserted = 0;
};

// The source's lines of code and, in their numbering, its spans.
struct Code {
  Lines lines;
  std::vector<LineSpan> spans;
};

Code CodeOf(std::string_view source, const std::vector<LineSpan>& spans) {
  Code code;
  std::vector<int> before = {0};  // Lines of code before each line.
  for (const SourceLine& line : SplitLines(source)) {
    if (line.code) code.lines.push_back(line.text);
    before.push_back(static_cast<int>(code.lines.size()));
  }
  const auto renumber = [&](int line) {
    return before[std::min(static_cast<std::size_t>(line), before.size() - 1)];
  };
  for (const LineSpan& span : spans) {
    code.spans.push_back({renumber(span.begin), renumber(span.end)});
  }
  return code;
}

// Lengths of the longest common subsequence of every pair of tails, row by row;
// a row has one more entry than `b` has lines.
std::vector<std::uint32_t> TailLengths(const Lines& a, const Lines& b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::uint32_t> lengths((a.size() + 1) * width, 0);
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      lengths[i * width + j] = a[i] == b[j]
                                   ? lengths[(i + 1) * width + j + 1] + 1
                                   : std::max(lengths[(i + 1) * width + j],
                                              lengths[i * width + j + 1]);
    }
  }
  return lengths;
}

std::vector<Hunk> DiffMiddle(const Lines& a, const Lines& b) {
  if (a.empty() && b.empty()) return {};
  if (a.empty() || b.empty() || a.size() > kMostPairs / b.size()) {
    return {{0, a.size(), b.size()}};
  }
  const std::vector<std::uint32_t> lengths = TailLengths(a, b);
  const std::size_t width = b.size() + 1;
  std::vector<Hunk> hunks;
  Hunk hunk;
  const auto flush = [&](std::size_t at) {
    if (hunk.to > hunk.from || hunk.inserted > 0) hunks.push_back(hunk);
    hunk = {at, at, 0};
  };
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      ++i, ++j;
      flush(i);
    } else if (j == b.size() ||
               (i < a.size() &&
                lengths[(i + 1) * width + j] >= lengths[i * width + j + 1])) {
      hunk.to = ++i;
    } else {
      ++hunk.inserted, ++j;
    }
  }
  flush(i);
  return hunks;
}

std::vector<Hunk> Diff(const Lines& a, const Lines& b) {
  const auto [a_head, b_head] = std::ranges::mismatch(a, b);
  const auto head = a_head - a.begin();
  auto a_end = a.end();
  auto b_end = b.end();
  while (a_end > a_head && b_end > b_head && a_end[-1] == b_end[-1]) {
    --a_end, --b_end;
  }
  std::vector<Hunk> hunks =
      DiffMiddle(Lines(a_head, a_end), Lines(b_head, b_end));
  for (Hunk& hunk : hunks) {
    hunk.from += static_cast<std::size_t>(head);
    hunk.to += static_cast<std::size_t>(head);
  }
  return hunks;
}

void Count(const Hunk& hunk, const std::vector<LineSpan>& spans,
           EditFootprint& footprint) {
  const int from = static_cast<int>(hunk.from);
  const int to = static_cast<int>(hunk.to);
  int marked = 0;  // Of the lines replaced.
  bool touches = false;
  for (const LineSpan& span : spans) {
    marked += std::max(0, std::min(to, span.end) - std::max(from, span.begin));
    touches |= from <= span.end && to >= span.begin;
  }
  const int replaced = to - from;
  const int surplus = std::max(0, static_cast<int>(hunk.inserted) - replaced);
  const bool surplus_inside = replaced == 0 ? touches : marked > 0;
  footprint.changed_inside += marked + (surplus_inside ? surplus : 0);
  footprint.changed_outside +=
      replaced - marked + (surplus_inside ? 0 : surplus);
}

}  // namespace

EditFootprint MeasureEdits(std::string_view annotated,
                           std::string_view candidate) {
  const Result<AnchoredSource> parsed = ParseAnchors(annotated);
  const std::string source =
      parsed ? parsed->source : WithoutAnchors(annotated);
  const Code plan =
      CodeOf(source, parsed ? parsed->spans : std::vector<LineSpan>());
  const Code answer = CodeOf(candidate, {});
  EditFootprint footprint;
  for (const Hunk& hunk : Diff(plan.lines, answer.lines)) {
    Count(hunk, plan.spans, footprint);
  }
  return footprint;
}

}  // namespace coppice::agents
