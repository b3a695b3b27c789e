// restrict(): tells the compiler what the tasks promise: buffers are aligned
// to 64 bytes and never overlap.  The span is the function's whole body.
#include "agents/catalogue/loop_catalogue.h"

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
  const std::set<std::string> unknown = NamesInRaw(span);
  for (const Param& param : site.kernel.params) {
    if (!param.IsPointer()) continue;
    const std::string name = site.Fresh(param.name + "_p");
    const auto is_it = [&](const Expr& e) { return IsName(e, param.name); };
    if (!HasPart(span, is_it)) continue;
    // Unknown code would go on using the pointer that is promised to be alone.
    if (unknown.contains(param.name)) {
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
