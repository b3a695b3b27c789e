// hoist(v): what does not change with v is computed once, before the loop:
// loads and products of invariants, and the reciprocal of what is divided by.
// promote(v): an array element that every iteration reads and writes is kept
// in a scalar while the loop runs.
#include <algorithm>
#include <utility>

#include "agents/catalogue/effects.h"
#include "agents/catalogue/loop_catalogue.h"

namespace coppice::agents::catalogue {
namespace {

// Which expressions are floats, by the types of names.
class FloatNames {
 public:
  explicit FloatNames(const Kernel& kernel) {
    for (const Param& param : kernel.params) {
      Note(param.type, param.name, param.IsPointer());
    }
    VisitStmts(kernel.body, [&](const Stmt& stmt) {
      if (stmt.name.empty()) return;
      const bool holds_many = !stmt.dims.empty() ||
                              stmt.type.find('*') != std::string::npos ||
                              stmt.type.find('<') != std::string::npos;
      Note(stmt.type, stmt.name, holds_many);
    });
  }

  // Its type is one that a float holds without loss.
  bool IsFloat(const Expr& expr) const {
    return IsOf(expr) && !HoldsDouble(expr);
  }

  bool HoldsDouble(const Expr& expr) const {
    return MentionsAny(expr, doubles_) || HasPart(expr, [](const Expr& e) {
             return CalledFunction(e) == "static_cast<double>" ||
                    (e.kind == ExprKind::kCast && e.text == "double");
           });
  }

 private:
  bool IsOf(const Expr& e) const {
    const auto any = [&](std::size_t from) {
      for (std::size_t i = from; i < e.args.size(); ++i) {
        if (IsOf(e.args[i])) return true;
      }
      return false;
    };
    switch (e.kind) {
      case ExprKind::kNumber:
        return e.text.find('.') != std::string::npos;
      case ExprKind::kName:
        return scalars_.contains(e.text) && !others_.contains(e.text);
      case ExprKind::kIndex:
        return arrays_.contains(ArrayName(e)) &&
               !others_.contains(ArrayName(e));
      case ExprKind::kBinary:
        return e.text.find_first_of("*/+-") == 0 && any(0);
      case ExprKind::kUnary:
        return e.text == "-" && any(0);
      case ExprKind::kTernary:
        return any(1);
      case ExprKind::kCast:
        return e.text == "float";
      case ExprKind::kCall: {
        const std::string called = CalledFunction(e);
        return called.starts_with("static_cast")
                   ? called == "static_cast<float>"
                   : any(1);
      }
      default:
        return false;
    }
  }

  void Note(const std::string& type, const std::string& name, bool holds_many) {
    const bool is_float = type.find("float") != std::string::npos;
    (!is_float ? others_ : holds_many ? arrays_ : scalars_).insert(name);
    if (type.find("double") != std::string::npos) doubles_.insert(name);
  }

  std::set<std::string> scalars_, arrays_, others_, doubles_;
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
    Walk(loop.body, /*guarded=*/false);
    if (before_.empty()) return {};
    before_.push_back(std::move(loop));
    return std::move(before_);
  }

 private:
  bool Invariant(const Expr& expr) const {
    return !MentionsAny(expr, changing_);
  }

  void Walk(StmtList& list, bool guarded) {
    for (Stmt& stmt : list) {
      VisitOwnExprs(stmt, [&](Expr& e) { Walk(e, guarded); });
      const bool inside = guarded || stmt.kind == StmtKind::kIf;
      Walk(stmt.body, inside);
      Walk(stmt.orelse, inside);
    }
  }

  void Walk(Expr& e, bool guarded) {
    if (Replace(e, guarded)) return;
    for (std::size_t i = 0; i < e.args.size(); ++i) {
      Walk(e.args[i], guarded || (Chooses(e) && i > 0));
    }
  }

  // A guarded load may be of an element that is not there.
  bool Replace(Expr& e, bool guarded) {
    if (e.kind == ExprKind::kBinary && e.text == "/" &&
        e.args[1].kind != ExprKind::kNumber && Invariant(e.args[1]) &&
        !Invariant(e.args[0]) && floats_.IsFloat(e.args[1]) &&
        !floats_.HoldsDouble(e.args[0]) && !(guarded && Loads(e.args[1]))) {
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
    if ((load || arithmetic || call) && Invariant(e) && floats_.IsFloat(e) &&
        !(guarded && Loads(e))) {
      e = Value(e, loop_.name + "_fixed");
      return true;
    }
    return false;
  }

  static bool Loads(const Expr& expr) {
    return HasPart(expr,
                   [](const Expr& e) { return e.kind == ExprKind::kIndex; });
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

Outcome Hoist(const Site& site, const Stmt& loop, const Technique&) {
  StmtList list = Hoister(site, loop).Run();
  if (list.empty()) return NoReason("nothing in the loop stays the same");
  return WithLoop(site, loop.name, std::move(list));
}

Outcome Promote(const Site& site, const Stmt& loop, const Technique&) {
  const Effects effects = EffectsOf(loop.body);
  if (effects.opaque) return NoReason("it holds unknown code");
  std::set<std::string> changing = DeclaredNames(loop.body);
  changing.insert(loop.name);
  changing.merge(effects.Written());
  const std::set<std::string> local = DeclaredNames(loop.body);
  StmtList always = loop.body;
  VisitStmts(always, [](Stmt& stmt) {
    if (stmt.kind != StmtKind::kIf) return;
    stmt.body.clear();
    stmt.orelse.clear();
  });
  const Effects sure = EffectsOf(always);
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
    // Under a condition, it may be an element that is not there.
    const bool used = sure.ReadArrays().contains(array) ||
                      sure.WrittenArrays().contains(array);
    if (!same || type.empty() || local.contains(array) || !used ||
        effects.handed.contains(array) || Mentions(loop.bound, array) ||
        Mentions(loop.step, array)) {
      continue;
    }
    const std::string name = site.Fresh(array + "_kept");
    Stmt inside = loop;
    VisitExprs(inside.body, [&](Expr& whole) {
      whole = Exchanged(std::move(whole), element, Name(name));
    });
    // What goes by another name stays where it is.
    const Effects left = EffectsOf(inside.body);
    if (left.ReadArrays().contains(array) ||
        left.WrittenArrays().contains(array)) {
      continue;
    }
    return WithLoop(site, loop.name,
                    {MakeDecl(type, name, element), std::move(inside),
                     MakeExpr(Binary("=", element, Name(name)))});
  }
  return NoReason("no element is used by every iteration");
}

}  // namespace coppice::agents::catalogue
