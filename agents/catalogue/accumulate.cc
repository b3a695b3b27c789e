// accumulate(v, width): several accumulators for a fold.
//
//   for k { sum += a(k); }
// becomes `width` partial sums that do not wait for each other, and fill
// vector registers:
//   float part[16]; lanes { part[l] = 0; }
//   for k by 16 { lanes { part[l] += a(k + l); } }
//   sum += part[0] + part[1] + ...;  by halves
// with the last, short strip masked.  The width is a power of 2.  Works for
// sums, products, maxima and minima, several at once, beside independent
// stores.  A third argument `cheap` leaves loops alone that call functions.
#include <algorithm>
#include <utility>

#include "agents/catalogue/dependence.h"
#include "agents/catalogue/loop_catalogue.h"
#include "agents/catalogue/strip.h"

namespace coppice::agents::catalogue {
namespace {

// Calls for which lanes would run out of registers.
bool HoldsCalls(const StmtList& list) {
  return HasPart(list, [](const Expr& e) {
    const std::string called = CalledFunction(e);
    return e.kind == ExprKind::kCall && called != "max" && called != "min" &&
           !called.starts_with("static_cast");
  });
}

// std::max(a, b), which takes two of one type.
bool IsOfTwoAlike(const Expr& extreme) {
  return extreme.kind == ExprKind::kCall &&
         (IsName(extreme.args[0], "std::max") ||
          IsName(extreme.args[0], "std::min"));
}

class Accumulators {
 public:
  Accumulators(const Site& site, const Stmt& loop, std::int64_t width,
               std::vector<Reduction> reductions)
      : site_(site),
        loop_(loop),
        width_(width),
        lane_(site.Fresh(loop.name + "_lane")),
        reductions_(std::move(reductions)) {}

  std::optional<StmtList> Build() {
    const Strips strips = CutIntoStrips(loop_, width_, site_.constants);
    StmtList list;
    StmtList clear;
    for (const Reduction& r : reductions_) {
      const std::string type = TypeOf(r);
      if (type.empty() || type == "auto") return std::nullopt;
      list.push_back(MakeArray(type, Part(r), {Number(width_)}));
      clear.push_back(
          MakeExpr(Binary("=", LaneOf(r), NeutralValue(r.op, type))));
    }
    list.push_back(LaneLoop(loop_, lane_, width_, std::move(clear)));
    Stmt main = WholeStrips(
        loop_, strips, {LaneLoop(loop_, lane_, width_, AtLanes(loop_.body))});
    main.pragmas.clear();
    list.push_back(main);
    if (!strips.exact) {
      Stmt tail = main;
      tail.init = strips.main_bound;
      tail.bound = loop_.bound;
      auto masked = MaskedBody();
      if (!masked) {
        tail = ScalarTail(loop_, strips);
      } else {
        tail.body = {
            LaneLoop(loop_, lane_, width_, AtLanes(std::move(*masked)))};
      }
      list.push_back(std::move(tail));
    }
    for (const Reduction& r : reductions_) Combine(r, list);
    return list;
  }

 private:
  std::string TypeOf(const Reduction& r) const {
    // What a reference stands for is written at the end.
    std::string type = TypeAt(site_, loop_, r.scalar);
    std::erase(type, '&');
    return type;
  }
  std::string Part(const Reduction& r) const {
    return site_.Fresh(r.scalar + "_part");
  }
  Expr LaneOf(const Reduction& r) const {
    return Index(Name(Part(r)), Name(lane_));
  }

  StmtList AtLanes(StmtList body) const {
    Substitute(body, loop_.name, AtLane(loop_, Name(lane_)));
    for (const Reduction& r : reductions_) {
      Substitute(body, r.scalar, LaneOf(r));
    }
    return body;
  }

  // Folded values become neutral past the end.
  std::optional<StmtList> MaskedBody() const {
    const Expr condition = Binary("<", Name(loop_.name), loop_.bound);
    StmtList body = loop_.body;
    std::set<std::string> varying = DeclaredNames(body);
    varying.insert(loop_.name);
    const Mask mask{condition, OwnArrays(body), varying,
                    WholeNumbersOf(site_.kernel)};
    StmtList result;
    for (Stmt& stmt : body) {
      const auto fold = stmt.kind == StmtKind::kExpr ? FoldOf(stmt.expr)
                                                     : std::vector<Fold>{};
      const auto r = std::find_if(
          reductions_.begin(), reductions_.end(), [&](const Reduction& one) {
            return !fold.empty() && fold[0].target == one.scalar;
          });
      if (r == reductions_.end()) {
        auto one = Masked({std::move(stmt)}, mask);
        if (!one) return std::nullopt;
        Append(result, std::move(*one));
      } else {
        const std::string type = TypeOf(*r);
        Expr value = fold[0].value;
        // Else the extreme's two sides may be of two types.
        if (r->op != "+" && r->op != "*" && !IsOfTwoAlike(stmt.expr.args[1])) {
          value = Call("static_cast<" + type + ">", {std::move(value)});
        }
        result.push_back(MakeExpr(
            Binary("=", Name(r->scalar),
                   catalogue::Combine(r->op, Name(r->scalar),
                                      Ternary(condition, std::move(value),
                                              NeutralValue(r->op, type))))));
      }
    }
    return result;
  }

  // part[l] += part[l + half], by halves.
  void Combine(const Reduction& r, StmtList& list) const {
    std::int64_t half = width_ / 2;
    for (; half >= 4; half /= 2) {
      const Expr other = Index(Name(Part(r)), Add(Name(lane_), Number(half)));
      list.push_back(LaneLoop(
          loop_, lane_, half,
          {MakeExpr(Binary("=", LaneOf(r),
                           catalogue::Combine(r.op, LaneOf(r), other)))}));
    }
    Expr total = Name(r.scalar);
    for (std::int64_t lane = 0; lane < half * 2; lane += 2) {
      const auto part = [&](std::int64_t at) {
        return Index(Name(Part(r)), Number(at));
      };
      total = catalogue::Combine(
          r.op, std::move(total),
          catalogue::Combine(r.op, part(lane), part(lane + 1)));
    }
    list.push_back(MakeExpr(Binary("=", Name(r.scalar), std::move(total))));
  }

  const Site& site_;
  const Stmt& loop_;
  std::int64_t width_;
  std::string lane_;
  std::vector<Reduction> reductions_;
};

}  // namespace

Outcome Accumulate(const Site& site, const Stmt& loop,
                   const Technique& technique) {
  const std::int64_t width = technique.IntArg(1).value_or(0);
  if (width < 2) return NoReason("there is no such loop here");
  if ((width & (width - 1)) != 0) return NoReason("the width is no power of 2");
  if (technique.Arg(2) == "cheap" && HoldsCalls(loop.body)) {
    return NoReason("it calls functions");
  }
  if (ContainsLoop(loop.body)) return NoReason("the loop is no innermost one");
  if (IsStrip(loop)) return NoReason("the loop is a strip already");
  Independence test = TestIndependence(loop, site.definitions);
  if (!test.holds) return NoReason(test.why_not);
  if (test.reductions.empty()) return NoReason("the loop folds nothing");
  if (auto why = WhyNotFolded(site, loop, test.reductions); !why.empty()) {
    return NoReason(std::move(why));
  }
  auto list =
      Accumulators(site, loop, width, std::move(test.reductions)).Build();
  if (!list) return NoReason("the type of the accumulator is unknown");
  auto helpers = MaximaByValue(*list);
  return WithLoop(site, loop.name, std::move(*list), std::move(helpers));
}

}  // namespace coppice::agents::catalogue
