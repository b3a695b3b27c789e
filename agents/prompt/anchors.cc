#include "agents/prompt/anchors.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace coppice::agents {
namespace {

constexpr std::size_t kNone = std::string_view::npos;
constexpr std::string_view kLineBlanks = " \t";

enum class Side { kBegin, kEnd };

struct Token {
  Side side = Side::kBegin;
  std::size_t from = 0;  // [from, to) in bytes.
  std::size_t to = 0;
};

struct Range {
  std::size_t from = 0;
  std::size_t to = 0;
};

struct Anchor {
  Side side = Side::kBegin;
  Range comment;
  int line = 1;  // Of the anchor itself, from 1.
};

struct Scan {
  std::vector<Anchor> anchors;
  std::optional<int> bare_line;  // Of an anchor outside any comment.
};

std::optional<Token> NextToken(std::string_view text, std::size_t at) {
  constexpr std::string_view kOpening = "<<<IMPROVE ";
  constexpr std::pair<std::string_view, Side> kClosings[] = {
      {"BEGIN>>>", Side::kBegin},
      {"BEGINS>>>", Side::kBegin},
      {"END>>>", Side::kEnd},
      {"ENDS>>>", Side::kEnd}};
  while ((at = text.find(kOpening, at)) != kNone) {
    const std::string_view rest = text.substr(at + kOpening.size());
    for (const auto& [closing, side] : kClosings) {
      if (rest.starts_with(closing)) {
        return Token{side, at, at + kOpening.size() + closing.size()};
      }
    }
    at += kOpening.size();
  }
  return std::nullopt;
}

std::size_t LineStart(std::string_view text, std::size_t at) {
  const std::size_t newline = at == 0 ? kNone : text.rfind('\n', at - 1);
  return newline == kNone ? 0 : newline + 1;
}

std::size_t LineEnd(std::string_view text, std::size_t at) {
  return std::min(text.find('\n', at), text.size());
}

bool Blank(std::string_view text) {
  return text.find_first_not_of(kLineBlanks) == kNone;
}

// "#" opens a comment, "#pragma" does not.
bool OpensHashComment(std::string_view text) {
  return text.size() > 1 && text[0] == '#' &&
         (text[1] == ' ' || text[1] == '\t' || text[1] == '#' ||
          text[1] == '<');
}

// Where the comment around `token` opens: the nearest opener on its line, else
// a block comment still open from an earlier one.  No comment that reaches the
// token opens before `floor`.
std::size_t CommentStart(std::string_view text, const Token& token,
                         std::size_t floor) {
  const std::string_view before = text.substr(floor, token.from - floor);
  const std::size_t line = floor + LineStart(before, before.size());
  for (std::size_t i = token.from; i-- > line;) {
    const std::string_view here = text.substr(i, token.from - i);
    if (here.starts_with("*/")) return kNone;
    if (here.starts_with("/*")) return i;
    const bool slashes = here.starts_with("//");
    const bool hash = OpensHashComment(text.substr(i));
    if (!slashes && !hash) continue;
    // "///" and "# #" are one opener.
    std::size_t start = i;
    for (std::size_t j = i; j-- > line;) {
      if (text[j] == text[i]) {
        start = j;
      } else if (!hash || kLineBlanks.find(text[j]) == kNone) {
        break;
      }
    }
    return start;
  }
  const std::size_t open = before.rfind("/*");
  const std::size_t closed = before.rfind("*/");
  const bool inside = open != kNone && (closed == kNone || closed < open);
  return inside ? floor + open : kNone;
}

std::optional<Range> CommentAround(std::string_view text, const Token& token,
                                   std::size_t floor) {
  const std::size_t from = CommentStart(text, token, floor);
  if (from == kNone) return std::nullopt;
  if (text[from] == '#' || text[from + 1] == '/') {
    return Range{from, LineEnd(text, token.to)};
  }
  const std::size_t close = text.find("*/", token.to);
  if (close == kNone) return std::nullopt;
  return Range{from, close + 2};
}

Scan FindAnchors(std::string_view text) {
  Scan scan;
  int line = 1;
  std::size_t counted = 0;
  std::size_t at = 0;
  while (const std::optional<Token> token = NextToken(text, at)) {
    line += static_cast<int>(
        std::count(text.begin() + std::ptrdiff_t(counted),
                   text.begin() + std::ptrdiff_t(token->from), '\n'));
    counted = token->from;
    const std::optional<Range> comment = CommentAround(text, *token, at);
    if (!comment) {
      if (!scan.bare_line) scan.bare_line = line;
      at = token->to;
      continue;
    }
    const std::optional<Token> second = NextToken(text, token->to);
    const bool prose = second && second->from < comment->to;
    if (!prose) scan.anchors.push_back({token->side, *comment, line});
    at = comment->to;
  }
  return scan;
}

// What is cut from the text with an anchor's comment.
struct Cut {
  Range range;
  bool code_before = false;  // On the lines that the comment stands on.
  bool code_after = false;
};

Cut CutOf(std::string_view text, const Anchor& anchor) {
  auto [from, to] = anchor.comment;
  const std::size_t start = LineStart(text, from);
  const std::size_t end = LineEnd(text, to);
  Cut cut;
  cut.code_before = !Blank(text.substr(start, from - start));
  cut.code_after = !Blank(text.substr(to, end - to));
  if (!cut.code_before && !cut.code_after) {
    cut.range = {start, std::min(end + 1, text.size())};
    return cut;
  }
  const bool blanks_before =
      cut.code_before && (!cut.code_after || anchor.side == Side::kEnd);
  if (blanks_before) {
    while (from > start && kLineBlanks.find(text[from - 1]) != kNone) --from;
  } else {
    while (to < end && kLineBlanks.find(text[to]) != kNone) ++to;
  }
  cut.range = {from, to};
  return cut;
}

struct Mark {
  Side side = Side::kBegin;
  int line = 0;  // Where the span begins or ends (half-open) in the result.
};

struct Stripped {
  std::string source;
  std::vector<Mark> marks;
};

Stripped Strip(std::string_view text, const std::vector<Anchor>& anchors) {
  Stripped out;
  std::size_t at = 0;
  int line = 0;
  const auto copy_until = [&](std::size_t end) {
    if (end <= at) return;
    const std::string_view piece = text.substr(at, end - at);
    line += static_cast<int>(std::ranges::count(piece, '\n'));
    out.source += piece;
  };
  for (const Anchor& anchor : anchors) {
    const Cut cut = CutOf(text, anchor);
    copy_until(cut.range.from);
    at = std::max(at, cut.range.to);
    const bool next_line = anchor.side == Side::kBegin
                               ? cut.code_before && !cut.code_after
                               : cut.code_before;
    out.marks.push_back({anchor.side, line + (next_line ? 1 : 0)});
  }
  copy_until(text.size());
  return out;
}

tl::unexpected<Error> Misplaced(int line, const std::string& what) {
  return Fail(Errc::kCorrupt,
              "line " + std::to_string(line) + " of the code block: " + what);
}

}  // namespace

Result<AnchoredSource> ParseAnchors(std::string_view annotated) {
  const Scan scan = FindAnchors(annotated);
  if (scan.bare_line) {
    return Misplaced(*scan.bare_line,
                     "the anchor is not in a comment; write it as "
                     "`// <<<IMPROVE BEGIN>>>` or `# <<<IMPROVE BEGIN>>>`, as "
                     "the language at that place has it");
  }
  if (scan.anchors.empty()) {
    return Fail(Errc::kCorrupt,
                "the code block marks no span; put a comment "
                "`<<<IMPROVE BEGIN>>>` before and a comment "
                "`<<<IMPROVE END>>>` after the lines to change");
  }
  Stripped stripped = Strip(annotated, scan.anchors);
  AnchoredSource result;
  result.source = std::move(stripped.source);
  const Anchor* open = nullptr;
  int begin = 0;
  for (std::size_t i = 0; i < scan.anchors.size(); ++i) {
    const Anchor& anchor = scan.anchors[i];
    if (anchor.side == Side::kBegin && open != nullptr) {
      return Misplaced(anchor.line,
                       "`<<<IMPROVE BEGIN>>>` inside the span that line " +
                           std::to_string(open->line) +
                           " began; close that with `<<<IMPROVE END>>>` "
                           "first, spans must not nest");
    }
    if (anchor.side == Side::kEnd && open == nullptr) {
      return Misplaced(anchor.line,
                       "`<<<IMPROVE END>>>` without a `<<<IMPROVE BEGIN>>>` "
                       "before it");
    }
    if (anchor.side == Side::kBegin) {
      open = &anchor;
      begin = stripped.marks[i].line;
    } else {
      result.spans.push_back({begin, std::max(begin, stripped.marks[i].line)});
      open = nullptr;
    }
  }
  if (open != nullptr) {
    return Misplaced(open->line,
                     "`<<<IMPROVE BEGIN>>>` is never closed by a "
                     "`<<<IMPROVE END>>>`");
  }
  return result;
}

std::string WithoutAnchors(std::string_view annotated) {
  return Strip(annotated, FindAnchors(annotated).anchors).source;
}

}  // namespace coppice::agents
