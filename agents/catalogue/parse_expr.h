// Precedence climbing over the tokens of one expression.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "agents/catalogue/expr.h"
#include "agents/catalogue/token.h"

namespace coppice::agents::catalogue {

// Advances `at` past the expression.  Nothing, with `at` anywhere, if there is
// none that this parser knows; a comma ends it.
std::optional<Expr> ParseExpr(const std::vector<Token>& tokens,
                              std::size_t& at);

// The type that starts at tokens[at], "const std::vector<float>&", with `at`
// moved past it.  Nothing, with `at` unmoved, if no known type starts there.
std::optional<std::string> ParseType(const std::vector<Token>& tokens,
                                     std::size_t& at);

}  // namespace coppice::agents::catalogue
