#include "agents/catalogue/anchors.h"

#include <utility>

namespace coppice::agents::catalogue {
namespace {

constexpr std::string_view kBegin = "<<<IMPROVE BEGIN>>>";
constexpr std::string_view kEnd = "<<<IMPROVE END>>>";

bool Surrounds(const Stmt& stmt, Lines span) {
  return stmt.first_line < span.first && stmt.last_line > span.last;
}

}  // namespace

int IndentOf(std::string_view source, int line) {
  int indent = 0;
  EachLine(source, [&](int number, std::string_view text) {
    if (number != line) return;
    const std::size_t first = text.find_first_not_of(' ');
    indent = first == std::string_view::npos ? 0 : static_cast<int>(first);
  });
  return indent;
}

std::string WithAnchors(std::string_view source, Lines span) {
  // A pragma stands in column 0, so look past the directives.
  int indent = IndentOf(source, span.first);
  for (int line = span.first; indent == 0 && line < span.last; ++line) {
    indent = IndentOf(source, line + 1);
  }
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  std::string annotated;
  EachLine(source, [&](int number, std::string_view text) {
    if (number == span.first) {
      annotated += margin + "// " + std::string(kBegin) + "\n";
    }
    annotated += text;
    if (number == span.last) {
      if (!annotated.ends_with('\n')) annotated += '\n';
      annotated += margin + "// " + std::string(kEnd) + "\n";
    }
  });
  return annotated;
}

std::optional<Anchored> ReadAnchors(std::string_view annotated) {
  Anchored result;
  int kept = 0;
  EachLine(annotated, [&](int, std::string_view text) {
    if (text.find(kBegin) != std::string_view::npos) {
      if (result.span.first == 0) result.span.first = kept + 1;
    } else if (text.find(kEnd) != std::string_view::npos) {
      if (result.span.last == 0) result.span.last = kept;
    } else {
      result.source += text;
      ++kept;
    }
  });
  if (result.span.first == 0 || result.span.last < result.span.first) {
    return std::nullopt;
  }
  return result;
}

StmtList StatementsIn(const StmtList& body, Lines span) {
  StmtList inside;
  for (const Stmt& stmt : body) {
    if (stmt.first_line >= span.first && stmt.last_line <= span.last) {
      inside.push_back(stmt);
    } else if (stmt.first_line <= span.last && stmt.last_line >= span.first) {
      if (!Surrounds(stmt, span)) return {};
      StmtList deeper = StatementsIn(stmt.body, span);
      return deeper.empty() ? StatementsIn(stmt.orelse, span) : deeper;
    }
  }
  return inside;
}

void KeepDownward(StmtList& body, Lines span) {
  for (Stmt& stmt : body) {
    if (!Surrounds(stmt, span)) continue;
    if (stmt.kind == StmtKind::kFor && !stmt.text.empty()) {
      VisitExprs(stmt.body, [&](Expr& e) {
        e = Exchanged(std::move(e), stmt.expr, Name(stmt.text));
      });
    }
    KeepDownward(stmt.body, span);
    KeepDownward(stmt.orelse, span);
  }
}

}  // namespace coppice::agents::catalogue
