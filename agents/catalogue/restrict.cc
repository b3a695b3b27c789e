// restrict(): tells the compiler what the tasks promise: buffers are aligned
// to 64 bytes and never overlap.  The span is the function's whole body.
#include <algorithm>

#include "agents/catalogue/loop_catalogue.h"
#include "agents/catalogue/token.h"

namespace coppice::agents::catalogue {
namespace {

// const float* __restrict__ a_hint = ... assume_aligned(a, 64)
Stmt Hint(const Param& param, const std::string& name) {
  const std::string pointer = param.type;
  const Expr aligned =
      Call("__builtin_assume_aligned", {Name(param.name), Number(64)});
  return MakeDecl(pointer + " __restrict__", name,
                  Call("static_cast<" + pointer + ">", {aligned}));
}

bool HoldsWord(const StmtList& span, const std::string& word) {
  return HasStmt(span, [&](const Stmt& stmt) {
    if (stmt.kind != StmtKind::kRaw) return false;
    const auto tokens = Tokenize(stmt.text);
    return std::any_of(tokens.begin(), tokens.end(), [&](const Token& token) {
      return token.kind == TokenKind::kName && token.text == word;
    });
  });
}

}  // namespace

Outcome Restrict(const Site& site, const Technique&) {
  if (site.kernel.text.find("__restrict") != std::string::npos) {
    return NoReason("the pointers are restricted already");
  }
  Rewritten result{{}, {}};
  StmtList span = site.span;
  for (const Param& param : site.kernel.params) {
    if (!param.IsPointer()) continue;
    const std::string name = site.Fresh(param.name + "_p");
    if (!Mentions(span, param.name)) continue;
    // Unknown code would go on using the pointer that is promised to be alone.
    if (HoldsWord(span, param.name)) {
      return NoReason("unknown code uses `" + param.name + "`");
    }
    result.span.push_back(Hint(param, name));
    Rename(span, param.name, name);
  }
  if (result.span.empty()) return NoReason("no pointer is used here");
  Append(result.span, std::move(span));
  return result;
}

}  // namespace coppice::agents::catalogue
