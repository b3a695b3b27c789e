#include "agents/catalogue/hoist.h"

#include <algorithm>
#include <utility>

#include "agents/catalogue/effects.h"

namespace coppice::agents::catalogue {
namespace {

// Floating-point scalars and the elements of floating-point arrays.
class FloatNames {
 public:
  explicit FloatNames(const Kernel& kernel) {
    for (const Param& param : kernel.params) Note(param.type, param.name);
    VisitStmts(kernel.body,
               [&](const Stmt& stmt) { Note(stmt.type, stmt.name); });
  }

  bool IsFloat(const Expr& expr) const {
    bool found = expr.kind == ExprKind::kNumber &&
                 expr.text.find('.') != std::string::npos;
    Visit(expr, [&](const Expr& e) {
      found |= e.kind == ExprKind::kName && names_.contains(e.text);
      found |= CalledFunction(e) == "static_cast<float>";
    });
    return found;
  }

 private:
  void Note(const std::string& type, const std::string& name) {
    if (type.find("float") != std::string::npos) names_.insert(name);
  }
  std::set<std::string> names_;
};

class Hoister {
 public:
  Hoister(const Site& site, const Stmt& loop)
      : site_(site), loop_(loop), floats_(site.kernel) {
    const Effects effects = EffectsOf(loop.body);
    changing_ = DeclaredNames(loop.body);
    changing_.insert(loop.name);
    changing_.merge(effects.Written());
    opaque_ = effects.opaque;
  }

  // The loop with its hoisted values in front; empty if there are none.
  StmtList Run() {
    if (opaque_) return {};
    Stmt loop = loop_;
    RewriteParts(loop.body, [&](Expr& e) { return Replace(e); });
    if (before_.empty()) return {};
    before_.push_back(std::move(loop));
    return std::move(before_);
  }

 private:
  bool Invariant(const Expr& expr) const {
    return !MentionsAny(expr, changing_);
  }

  bool Replace(Expr& e) {
    if (e.kind == ExprKind::kBinary && e.text == "/" &&
        e.args[1].kind != ExprKind::kNumber && Invariant(e.args[1]) &&
        !Invariant(e.args[0]) && floats_.IsFloat(e.args[1])) {
      const Expr inverse = Value(Binary("/", Literal("1.0f"), e.args[1]),
                                 loop_.name + "_inverse");
      e = Binary("*", e.args[0], inverse);
      return false;
    }
    const bool load = e.kind == ExprKind::kIndex;
    const bool arithmetic = e.kind == ExprKind::kBinary && !IsAssignment(e) &&
                            e.text.find_first_of("*/+-") == 0;
    const bool call =
        e.kind == ExprKind::kCall && e.args[0].kind == ExprKind::kName;
    if ((load || arithmetic || call) && Invariant(e) && floats_.IsFloat(e)) {
      e = Value(e, loop_.name + "_fixed");
      return true;
    }
    return false;
  }

  Expr Value(const Expr& value, const std::string& base) {
    for (const Stmt& made : before_) {
      if (*made.init == value) return Name(made.name);
    }
    std::string name = site_.Fresh(base);
    for (int number = 2; Taken(name); ++number) {
      name = site_.Fresh(base + std::to_string(number));
    }
    before_.push_back(MakeDecl("const float", name, value));
    return Name(name);
  }

  bool Taken(const std::string& name) const {
    return std::any_of(before_.begin(), before_.end(),
                       [&](const Stmt& made) { return made.name == name; });
  }

  const Site& site_;
  const Stmt& loop_;
  FloatNames floats_;
  std::set<std::string> changing_;
  bool opaque_ = false;
  StmtList before_;
};

}  // namespace

Outcome Hoist(const Site& site, const Technique& technique) {
  Rewritten result{site.span, {}};
  const Stmt* loop = FindLoop(result.span, technique.Arg(0));
  if (loop == nullptr) return NoReason("there is no such loop here");
  StmtList list = Hoister(site, *loop).Run();
  if (list.empty()) return NoReason("nothing in the loop stays the same");
  ReplaceLoop(result.span, technique.Arg(0), std::move(list));
  return result;
}

Outcome Promote(const Site& site, const Technique& technique) {
  Rewritten result{site.span, {}};
  const Stmt* loop = FindLoop(result.span, technique.Arg(0));
  if (loop == nullptr) return NoReason("there is no such loop here");
  const Effects effects = EffectsOf(loop->body);
  if (effects.opaque) return NoReason("it holds unknown code");
  std::set<std::string> changing = DeclaredNames(loop->body);
  changing.insert(loop->name);
  changing.insert(effects.writes.begin(), effects.writes.end());
  for (const std::string& array : effects.WrittenArrays()) {
    const ArrayAccess* only = nullptr;
    bool same = true;
    for (const ArrayAccess& access : effects.accesses) {
      if (access.array != array) continue;
      if (only == nullptr) only = &access;
      same &= access.subscripts == only->subscripts;
    }
    Expr element = Name(array);
    for (const Expr& subscript : only->subscripts) {
      same &= !MentionsAny(subscript, changing);
      element = Index(element, subscript);
    }
    const std::string type = site.kernel.ElementOf(array);
    if (!same || type.empty() || changing.contains(array)) continue;
    const std::string name = site.Fresh(array + "_kept");
    Stmt inside = *loop;
    VisitExprs(inside.body, [&](Expr& whole) {
      whole = Exchanged(std::move(whole), element, Name(name));
    });
    ReplaceLoop(result.span, technique.Arg(0),
                {MakeDecl(type, name, element), std::move(inside),
                 MakeExpr(Binary("=", element, Name(name)))});
    return result;
  }
  return NoReason("no element is used by every iteration");
}

}  // namespace coppice::agents::catalogue
