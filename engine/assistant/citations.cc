#include "engine/assistant/citations.h"

#include <optional>

#include "store/records/parse_number.h"

namespace coppice::assistant {
namespace {

constexpr std::string_view kOpen = "[[";
constexpr std::string_view kClose = "]]";
constexpr std::string_view kTo = "..";

// Reads "n:14", or "14" where it goes on from a citation of that kind.
std::optional<std::int64_t> NumberOf(std::string_view text, char kind,
                                     bool may_be_bare) {
  if (text.size() > 2 && text[0] == kind && text[1] == ':') {
    text.remove_prefix(2);
  } else if (!may_be_bare) {
    return std::nullopt;
  }
  return ParseCount(text);
}

void ReadInside(std::string_view inside, Citation& citation) {
  const std::size_t slash = inside.rfind('/');
  std::string_view rest = inside;
  if (slash != inside.npos) rest = inside.substr(slash + 1);
  if (rest.empty() || (rest[0] != 'n' && rest[0] != 'd')) return;
  const std::size_t to = rest.find(kTo);
  const auto first = NumberOf(rest.substr(0, to), rest[0], false);
  auto last = first;
  if (to != rest.npos) {
    last = NumberOf(rest.substr(to + kTo.size()), rest[0], true);
  }
  if (!first || !last || *last < *first) return;
  citation.what = rest[0] == 'n' ? Cited::kNode : Cited::kDecision;
  citation.first = *first;
  citation.last = *last;
  if (slash != inside.npos) citation.campaign = inside.substr(0, slash);
}

}  // namespace

std::vector<Citation> FindCitations(std::string_view text) {
  std::vector<Citation> found;
  for (std::size_t at = text.find(kOpen); at != text.npos;
       at = text.find(kOpen, at)) {
    const std::size_t begin = at + kOpen.size();
    const std::size_t close = text.find(kClose, begin);
    if (close == text.npos) break;
    const std::string_view inside = text.substr(begin, close - begin);
    // "a[[0]]" of a program is none, nor is what spans lines.
    if (inside.find_first_of("\n[") != inside.npos ||
        inside.find(':') == inside.npos) {
      at = begin;
      continue;
    }
    Citation& citation = found.emplace_back();
    citation.begin = at;
    citation.end = close + kClose.size();
    ReadInside(inside, citation);
    at = citation.end;
  }
  return found;
}

}  // namespace coppice::assistant
