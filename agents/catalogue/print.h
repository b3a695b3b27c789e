// Prints expressions and statements, with only the parentheses needed.
#pragma once

#include <string>

#include "agents/catalogue/stmt.h"

namespace coppice::agents::catalogue {

std::string Print(const Expr& expr);

// Each line indented by `indent` blanks and ended with a newline.
std::string Print(const StmtList& list, int indent = 0);

}  // namespace coppice::agents::catalogue
