#include "agents/catalogue/restrict.h"

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
    result.span.push_back(Hint(param, name));
    Rename(span, param.name, name);
  }
  if (result.span.empty()) return NoReason("no pointer is used here");
  result.span.insert(result.span.end(), span.begin(), span.end());
  return result;
}

}  // namespace coppice::agents::catalogue
