// Anchors: the comments around the span that a plan asks to change.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "agents/catalogue/lines.h"
#include "agents/catalogue/stmt.h"

namespace coppice::agents::catalogue {

// The source with anchor comments around the lines, indented like the first.
std::string WithAnchors(std::string_view source, Lines span);

struct Anchored {
  std::string source;  // Without the anchors.
  Lines span;          // Between the first pair, in `source`.
};
// Nothing if there is no pair of anchors.
std::optional<Anchored> ReadAnchors(std::string_view annotated);

// The statements of the innermost list that lie wholly on the lines; empty if
// a statement of it is cut by them.
StmtList StatementsIn(const StmtList& body, Lines span);

// Around the lines a loop downwards stays as it is in the text: what it holds
// speaks of its variable again.
void KeepDownward(StmtList& body, Lines span);

// Blanks in front of the line's first character.
int IndentOf(std::string_view source, int line);

}  // namespace coppice::agents::catalogue
