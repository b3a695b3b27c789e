#include "agents/catalogue/strip.h"

#include <array>
#include <utility>

namespace coppice::agents::catalogue {
namespace {

// Loads of arrays that are not local become `mask ? load : 0`.
void MaskLoads(Expr& expr, const Mask& mask) {
  Rewrite(expr, [&](Expr& e) {
    if (e.kind != ExprKind::kIndex || mask.local.contains(ArrayName(e)) ||
        !MentionsAny(e, mask.varying)) {
      return false;
    }
    e = Ternary(mask.condition, e, Number(0));
    return true;
  });
}

}  // namespace

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
  Substitute(body, loop.name, Name(shifted));
  body.insert(body.begin(),
              MakeDecl("const int64_t", shifted,
                       Call("std::min<int64_t>", {Name(loop.name), last})));
  Stmt strip = WholeStrips(loop, strips, std::move(body));
  strip.bound = loop.bound;
  return MakeIf(Binary(">=", Sub(loop.bound, *loop.init), strips.step),
                {std::move(strip)}, {loop});
}

Stmt LaneLoop(const std::string& lane, std::int64_t width, StmtList body) {
  Stmt loop =
      MakeFor(lane, Number(0), Number(width), Number(1), std::move(body));
  if (!ContainsLoop(loop.body)) loop.pragmas = {"#pragma omp simd"};
  return loop;
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
            !mask.local.contains(ArrayName(target))) {
          stmt = MakeIf(mask.condition, {stmt});
        } else {
          MaskLoads(stmt.expr.args[1], mask);
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
