#include "agents/catalogue/strip.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

namespace coppice::agents::catalogue {
namespace {

// What was loaded is 0 in a lane that is off, and a subscript that was made of
// it may be any.
bool MayMiss(const Expr& element, const Mask& mask) {
  bool may = false;
  for (const Expr& subscript : Subscripts(element)) {
    Visit(subscript, [&](const Expr& e) {
      const bool made = e.kind == ExprKind::kName &&
                        mask.varying.contains(e.text) &&
                        !Mentions(mask.condition, e.text);
      may |=
          made || (e.kind == ExprKind::kIndex && MentionsAny(e, mask.varying));
    });
  }
  return may;
}

bool Compares(const Expr& expr) {
  static const std::set<std::string> kTests = {
      "<", ">", "<=", ">=", "==", "!=", "&&", "||", "!"};
  return kTests.contains(expr.text);
}

// Names of whole numbers, and of arrays of such.
using NameTest = std::function<bool(const std::string&)>;

bool IsWhole(const Expr& expr, const NameTest& whole) {
  if (Compares(expr)) return true;
  std::size_t first = 0;
  switch (expr.kind) {
    case ExprKind::kNumber:
      return expr.text.find_first_of(expr.text.starts_with("0x")
                                         ? ".pP"
                                         : ".eEfF") == expr.text.npos;
    case ExprKind::kName:
      return whole(expr.text);
    case ExprKind::kIndex:
      return whole(ArrayName(expr));
    case ExprKind::kCast:
      return IsWholeType(expr.text);
    case ExprKind::kCall: {
      const std::string called = CalledFunction(expr);
      if (called.starts_with("static_cast")) return IsWholeType(called);
      first = 1;
      break;
    }
    case ExprKind::kTernary:
      first = 1;
      break;
    default:
      break;
  }
  return std::all_of(expr.args.begin() + static_cast<long>(first),
                     expr.args.end(),
                     [&](const Expr& arg) { return IsWhole(arg, whole); });
}

bool IsWholeIn(const Mask& mask, const Expr& expr) {
  return IsWhole(
      expr, [&](const std::string& name) { return mask.whole.contains(name); });
}

// Loads of arrays that are not local become `mask ? load : 0`, and a whole
// number divides as `mask ? number : 1`.
void MaskLoads(Expr& expr, const Mask& mask) {
  Rewrite(expr, [&](Expr& e) {
    if (e.kind == ExprKind::kBinary && (e.text == "/" || e.text == "%") &&
        MentionsAny(e.args[1], mask.varying) && IsWholeIn(mask, e.args[1])) {
      MaskLoads(e.args[0], mask);
      e.args[1] = Ternary(mask.condition, e.args[1], Number(1));
      return true;
    }
    if (e.kind != ExprKind::kIndex || !MentionsAny(e, mask.varying) ||
        (mask.local.contains(ArrayName(e)) && !MayMiss(e, mask))) {
      return false;
    }
    e = Ternary(mask.condition, e, Number(0));
    return true;
  });
}

}  // namespace

bool IsWhole(const Expr& expr, const Kernel& kernel) {
  return IsWhole(expr, [&](const std::string& name) {
    const std::string type = kernel.ElementOf(name);
    return type.empty() || type == "bool" || IsWholeType(type);
  });
}

std::string WhyNotFolded(const Site& site, const Stmt& loop,
                         const std::vector<Reduction>& reductions) {
  for (const Reduction& r : reductions) {
    const std::string type = TypeAt(site, loop, r.scalar);
    if (type.find('*') != std::string::npos) {
      return "`" + r.scalar + "` is a pointer";
    }
    bool fits = true;
    VisitExprs(loop.body, [&](const Expr& e) {
      const auto fold = FoldOf(e);
      fits &= fold.empty() || fold[0].target != r.scalar ||
              !IsWholeType(type) || IsWhole(fold[0].value, site.kernel);
    });
    if (!fits) return "`" + r.scalar + "` is cut to a whole number each time";
  }
  return "";
}

std::optional<Tail> ParseTail(std::string_view word) {
  if (word.empty() || word == "masked") return Tail::kMasked;
  if (word == "scalar") return Tail::kScalar;
  if (word == "overlap") return Tail::kOverlap;
  return std::nullopt;
}

Strips CutIntoStrips(const Stmt& loop, std::int64_t width,
                     const Constants& constants) {
  Strips strips;
  strips.step = Mul(loop.step, Number(width));
  const Expr trips = Sub(loop.bound, *loop.init);
  const auto known = ValueOf(trips, constants);
  const auto step = ValueOf(strips.step, constants);
  strips.exact = known && step && *step > 0 && *known % *step == 0;
  const Expr whole = Binary("*", Binary("/", trips, strips.step), strips.step);
  strips.main_bound = strips.exact ? loop.bound : Add(*loop.init, whole);
  if (MayWrap(loop) && IntegerValue(*loop.init) != 0 && !strips.exact) {
    strips.main_bound = Ternary(Binary("<", *loop.init, loop.bound),
                                std::move(strips.main_bound), *loop.init);
  }
  return strips;
}

Stmt WholeStrips(const Stmt& loop, const Strips& strips, StmtList body) {
  Stmt made = loop;
  made.bound = strips.main_bound;
  made.step = strips.step;
  made.body = std::move(body);
  DropPragma(made, "omp simd");
  return made;
}

Stmt ScalarTail(const Stmt& loop, const Strips& strips) {
  Stmt tail = loop;
  tail.init = strips.main_bound;
  return tail;
}

Stmt OverlappingStrips(const Stmt& loop, const Strips& strips, StmtList body,
                       const std::string& shifted) {
  const Expr last = Sub(loop.bound, strips.step);
  const std::string type = loop.type == "auto" ? "int64_t" : loop.type;
  Substitute(body, loop.name, Name(shifted));
  body.insert(body.begin(), MakeDecl("const " + type, shifted,
                                     Call("std::min<" + type + ">",
                                          {Name(loop.name), last})));
  Stmt strip = WholeStrips(loop, strips, std::move(body));
  strip.bound = loop.bound;
  const bool wraps = MayWrap(loop);
  const Expr fits =
      Binary(">=", wraps ? loop.bound : Sub(loop.bound, *loop.init),
             wraps ? Add(*loop.init, strips.step) : strips.step);
  return MakeIf(fits, {std::move(strip)}, {loop});
}

Expr AtLane(const Stmt& loop, Expr lane) {
  return Add(Name(loop.name), Mul(std::move(lane), loop.step));
}

Stmt LaneLoop(const Stmt& loop, const std::string& lane, std::int64_t width,
              StmtList body) {
  Stmt lanes =
      MakeFor(lane, Number(0), Number(width), Number(1), std::move(body));
  lanes.type = loop.type;
  if (!ContainsLoop(lanes.body)) lanes.pragmas = {"#pragma omp simd"};
  return lanes;
}

std::vector<std::string> MaximaByValue(StmtList& list) {
  std::vector<std::string> helpers;
  for (const auto& names :
       {std::array<std::string, 3>{"max", "LaneMax", "<"},
        std::array<std::string, 3>{"min", "LaneMin", ">"}}) {
    const std::string& function = names[0];
    const std::string& name = names[1];
    const std::string& compare = names[2];
    bool found = false;
    RewriteParts(list, [&](Expr& e) {
      if (e.args.size() == 3 && e.kind == ExprKind::kCall &&
          e.args[0].text == "std::" + function) {
        e.args[0] = Name(name);
        found = true;
      }
      return false;
    });
    if (!found) continue;
    helpers.push_back("template <class T>\nstatic inline T " + name +
                      "(T a, T b) {\n  return a " + compare +
                      " b ? b : a;\n}\n");
  }
  return helpers;
}

std::set<std::string> OwnArrays(const StmtList& list) {
  std::set<std::string> names = DeclaredNames(list);
  for (const std::string& alias : Aliases(list)) names.erase(alias);
  return names;
}

std::optional<StmtList> Masked(StmtList list, const Mask& mask) {
  StmtList result;
  for (Stmt& stmt : list) {
    switch (stmt.kind) {
      case StmtKind::kComment:
        break;
      case StmtKind::kDecl:
        if (stmt.init) MaskLoads(*stmt.init, mask);
        break;
      case StmtKind::kExpr: {
        if (!IsAssignment(stmt.expr)) return std::nullopt;
        const Expr& target = stmt.expr.args[0];
        if (target.kind == ExprKind::kIndex &&
            (!mask.local.contains(ArrayName(target)) ||
             MayMiss(target, mask))) {
          stmt = MakeIf(mask.condition, {stmt});
        } else {
          // So that `d /= e` is masked like `d / e`.
          const bool divides = stmt.expr.text == "/=" || stmt.expr.text == "%=";
          Expr& value = stmt.expr.args[1];
          if (divides && MentionsAny(value, mask.varying) &&
              IsWholeIn(mask, value)) {
            value = Ternary(mask.condition, value, Number(1));
          } else {
            MaskLoads(value, mask);
          }
        }
        break;
      }
      case StmtKind::kIf:
        stmt.expr = Binary("&&", mask.condition, std::move(stmt.expr));
        if (!stmt.orelse.empty()) return std::nullopt;
        break;
      case StmtKind::kFor: {
        auto body = Masked(std::move(stmt.body), mask);
        if (!IsStrip(stmt) && !ConstantTrips(stmt)) return std::nullopt;
        if (!body) return std::nullopt;
        stmt.body = std::move(*body);
        break;
      }
      case StmtKind::kBlock:
      case StmtKind::kRaw:
        return std::nullopt;
    }
    result.push_back(std::move(stmt));
  }
  return result;
}

}  // namespace coppice::agents::catalogue
