// Reads statements of the dialect from tokens.  Never fails: what it does not
// know becomes a kRaw statement that keeps its text.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agents/catalogue/stmt.h"
#include "agents/catalogue/token.h"

namespace coppice::agents::catalogue {

// Names from in front of the statements.  A statement is raw that calls a
// function which reaches further than its arguments, as a lambda does, or that
// takes the value of one which changes these.
struct Outside {
  std::set<std::string> wrapping;  // Numbers without a sign.
  std::set<std::string> reaching;  // Functions.
  std::set<std::string> changing;  // Functions.
};

// The statements from tokens[at] up to the brace that closes the block or the
// end; `at` is left on that token.
StmtList ParseStmts(const std::vector<Token>& tokens, std::size_t& at,
                    Outside outside = {});

// For tests, for building code from text, and for who only reads: a loop
// without a sign is taken for one of its form, though i < n - 2 is not what
// i + 2 < n is where n is 1.
StmtList ParseStmts(std::string_view text);
Expr ParseExpr(std::string_view text);

}  // namespace coppice::agents::catalogue
