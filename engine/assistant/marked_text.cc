#include "engine/assistant/marked_text.h"

#include <algorithm>
#include <utility>

#include "engine/assistant/numbers.h"

namespace coppice::assistant {
namespace {

// A piece with its place; plain text lies between.
struct Placed {
  std::size_t begin;
  std::size_t end;
  Mark mark;
  Citation citation;
};

}  // namespace

Result<std::vector<MarkedSpan>> MarkText(std::string_view text, Tools& tools) {
  std::vector<Placed> placed;
  std::vector<std::pair<std::size_t, std::size_t>> cited;
  for (Citation& citation : FindCitations(text)) {
    TRY(exists, tools.Exists(citation));
    cited.emplace_back(citation.begin, citation.end);
    placed.push_back({citation.begin, citation.end,
                      exists ? Mark::kCited : Mark::kMissing,
                      std::move(citation)});
  }
  for (const Number& number : FindNumbers(text, cited)) {
    if (tools.numbers().Has(number)) continue;
    placed.push_back({number.begin, number.end, Mark::kNotFound, {}});
  }
  std::ranges::sort(placed, {}, &Placed::begin);
  std::vector<MarkedSpan> pieces;
  std::size_t at = 0;
  const auto add_plain = [&](std::size_t end) {
    if (end == at) return;
    pieces.push_back({Mark::kNone, std::string(text.substr(at, end - at)), {}});
  };
  for (Placed& place : placed) {
    add_plain(place.begin);
    pieces.push_back(
        {place.mark,
         std::string(text.substr(place.begin, place.end - place.begin)),
         std::move(place.citation)});
    at = place.end;
  }
  add_plain(text.size());
  return pieces;
}

std::size_t MarkableBytes(std::string_view text) {
  // A number may have its unit after a space, so that the last two words wait.
  const std::size_t newline = text.rfind('\n');
  std::size_t end = text.rfind(' ');
  if (end != text.npos && end > 0) end = text.rfind(' ', end - 1);
  end = end == text.npos ? 0 : end + 1;
  if (newline != text.npos) end = std::max(end, newline + 1);
  const std::size_t open = text.rfind("[[", end);
  if (open != text.npos && text.find("]]", open) >= end) return open;
  return end;
}

}  // namespace coppice::assistant
