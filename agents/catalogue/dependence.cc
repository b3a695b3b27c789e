#include "agents/catalogue/dependence.h"

#include <algorithm>
#include <map>
#include <set>

#include "agents/catalogue/effects.h"
#include "agents/catalogue/print.h"
#include "agents/catalogue/range.h"

namespace coppice::agents::catalogue {
namespace {

constexpr std::size_t kMostRanges = 64;

// Loops within the tested one: how far each variable can move.
using Reach = std::map<std::string, std::optional<std::int64_t>>;

// Iterations, or more: those up to 16 of a bound min(16, n).
std::optional<std::int64_t> MostTrips(Stmt loop) {
  if (CalledFunction(loop.bound) == "min") {
    for (std::size_t i = loop.bound.args.size(); i-- > 1;) {
      if (IntegerValue(loop.bound.args[i])) {
        loop.bound = Expr(loop.bound.args[i]);
        break;
      }
    }
  }
  return ConstantTrips(loop);
}

// What the loop's variable stays below, from 0 on: N for j from 1 to N - 1.
// 0 if that is no product of names.
Poly ExtentOf(const Stmt& loop, const Definitions& definitions) {
  const auto first = ToPoly(*loop.init, definitions).Constant();
  Poly extent = ToPoly(loop.bound, definitions);
  const auto beyond = extent.Terms().find(Monomial{});
  if (beyond != extent.Terms().end()) {
    if (beyond->second > 0) return Poly();
    extent = extent - Poly(beyond->second);
  }
  const bool plain =
      extent.Terms().size() == 1 && extent.Terms().begin()->second == 1;
  return plain && first && *first >= 0 ? extent : Poly();
}

// Is each term one of `unit`, which has one term, times something?
bool IsMultiple(const Poly& poly, const Poly& unit) {
  if (unit.Terms().size() != 1) return false;
  const auto& [part, factor] = *unit.Terms().begin();
  return std::all_of(poly.Terms().begin(), poly.Terms().end(),
                     [&, &own = part, by = factor](const auto& term) {
                       return term.second % by == 0 &&
                              std::includes(term.first.begin(),
                                            term.first.end(), own.begin(),
                                            own.end());
                     });
}

// Several loops of one name reach from where the first begins to where the last
// ends.
Reach InnerLoops(const StmtList& body) {
  struct Reached {
    Expr init;
    std::optional<std::int64_t> distance;
  };
  std::map<std::string, Reached> found;
  VisitStmts(body, [&](const Stmt& stmt) {
    if (stmt.kind != StmtKind::kFor) return;
    const auto trips = MostTrips(stmt);
    const auto step = IntegerValue(stmt.step);
    const Reached here{*stmt.init, trips && step
                                       ? std::optional((*trips - 1) * *step)
                                       : std::nullopt};
    const auto [known, added] = found.try_emplace(stmt.name, here);
    if (added) return;
    Reached& both = known->second;
    const auto one = IntegerValue(both.init), other = IntegerValue(here.init);
    if (!both.distance || !here.distance ||
        (both.init != here.init && (!one || !other))) {
      both.distance = std::nullopt;
    } else if (both.init == here.init) {
      both.distance = std::max(*both.distance, *here.distance);
    } else {
      const std::int64_t low = std::min(*one, *other);
      both.distance =
          std::max(*one + *both.distance, *other + *here.distance) - low;
      both.init = Number(low);
    }
  });
  Reach reach;
  for (const auto& [name, loops] : found) reach[name] = loops.distance;
  return reach;
}

class ArrayTest {
 public:
  ArrayTest(const Stmt& loop, const Definitions& definitions)
      : variable_(loop.name),
        extent_(ExtentOf(loop, definitions)),
        step_(IntegerValue(loop.step).value_or(1)),
        inner_(InnerLoops(loop.body)),
        definitions_(definitions) {
    unsteady_ = EffectsOf(loop.body).writes;
    VisitStmts(loop.body, [&](const Stmt& stmt) {
      if (stmt.kind == StmtKind::kFor) loops_.push_back(&stmt);
      if (stmt.kind == StmtKind::kDecl) unsteady_.insert(stmt.name);
    });
  }

  // True if no two iterations touch one element.
  bool Disjoint(const std::vector<const ArrayAccess*>& accesses) const {
    for (std::size_t d = 0; d < accesses.front()->subscripts.size(); ++d) {
      if (DisjointIn(d, accesses) || InOwnRows(d, accesses)) return true;
    }
    return false;
  }

 private:
  bool DisjointIn(std::size_t dimension,
                  const std::vector<const ArrayAccess*>& accesses) const {
    std::optional<Affine> first;
    for (const ArrayAccess* access : accesses) {
      const auto split = PlaceOf(*access, dimension);
      if (!split || !StaysWithin(split->slope, split->rest)) return false;
      if (!first) {
        first = split;
      } else if (!(first->slope == split->slope) ||
                 !SmallDifference(split->slope, first->rest - split->rest)) {
        return false;
      }
    }
    return true;
  }

  // Nothing if the loop does not move it, or something else does, too.
  std::optional<Affine> PlaceOf(const ArrayAccess& access,
                                std::size_t dimension) const {
    if (access.subscripts.size() <= dimension) return std::nullopt;
    auto split =
        SplitBy(ToPoly(access.subscripts[dimension], definitions_), variable_);
    return split && IsPlace(*split) ? std::move(split) : std::nullopt;
  }

  // The loop moves it, and nothing else does so from one iteration to the
  // next: not a[at + v] where `at` was changed, though such an `at` is taken
  // for a column in a[v * N + at].
  bool IsPlace(const Affine& subscript) const {
    if (!subscript.slope.Constant()) return true;
    return !subscript.slope.IsZero() &&
           std::none_of(unsteady_.begin(), unsteady_.end(),
                        [&](const std::string& name) {
                          return subscript.rest.Mentions(name);
                        });
  }

  // slope * v + rest, where no two rests are as far apart as the slope.
  bool InOwnRows(std::size_t dimension,
                 const std::vector<const ArrayAccess*>& accesses) const {
    std::optional<Poly> slope;
    std::vector<Range> ranges;
    for (const ArrayAccess* access : accesses) {
      const auto split = PlaceOf(*access, dimension);
      if (!split || (slope && !(*slope == split->slope))) return false;
      slope = split->slope;
      if (!Reaches(split->rest, 0, {}, ranges)) return false;
    }
    const Poly most = *slope * Poly(step_) - Poly(1);
    for (const Range& a : ranges) {
      for (const Range& b : ranges) {
        if (!IsNotNegative(most - (a.high - b.low))) return false;
      }
    }
    return true;
  }

  // The ranges of the rest for every choice among loops of the same name.
  bool Reaches(const Poly& rest, std::size_t from,
               std::vector<const Stmt*> chosen,
               std::vector<Range>& ranges) const {
    if (ranges.size() > kMostRanges) return false;
    for (std::size_t i = from; i < loops_.size(); ++i) {
      const bool again = std::any_of(
          chosen.begin(), chosen.end(),
          [&](const Stmt* loop) { return loop->name == loops_[i]->name; });
      if (again) {
        std::vector<const Stmt*> other = chosen;
        std::erase_if(other, [&](const Stmt* loop) {
          return loop->name == loops_[i]->name;
        });
        other.push_back(loops_[i]);
        if (rest.Mentions(loops_[i]->name) &&
            !Reaches(rest, i + 1, std::move(other), ranges)) {
          return false;
        }
      } else {
        chosen.push_back(loops_[i]);
      }
    }
    auto range = RangeOf(rest, chosen, definitions_);
    if (!range) return false;
    ranges.push_back(std::move(*range));
    return true;
  }

  // The loops within, together, stay short of one step of this one, or step
  // over all that this one reaches.
  bool StaysWithin(const Poly& slope, const Poly& rest) const {
    std::int64_t reach = 0;  // In elements, and in steps of this loop.
    std::int64_t steps = 0;
    for (const auto& [name, distance] : inner_) {
      if (!rest.Mentions(name)) continue;
      const auto inner = SplitBy(rest, name);
      if (!inner) return false;
      const auto stride = inner->slope.Constant();
      if (stride && distance) {
        reach += std::abs(*stride) * *distance;
      } else if (inner->slope == slope && distance) {
        steps += *distance;
      } else if (!Divides(inner->slope, slope) &&
                 !Divides(slope, inner->slope)) {
        return false;
      }
    }
    const auto constant = slope.Constant();
    return steps < step_ && (!constant || reach < std::abs(*constant) * step_);
  }

  // a[i * N + j] beside a[i * N + j - 1]: the same row.  How far the loops
  // within carry each of them was bounded by StaysWithin.  Or beside
  // a[k * N + j], whole rows away.
  bool SmallDifference(const Poly& slope, Poly difference) const {
    if (IsMultiple(difference, slope * extent_)) return true;
    for (const auto& [name, distance] : inner_) {
      const auto split = SplitBy(difference, name);
      if (!split) return false;
      // How far apart two loops begin was not looked at: it matters where the
      // next iteration is a number of elements away, and no row.
      if (!split->slope.IsZero() && slope.Constant()) return false;
      difference = split->rest;
    }
    return difference.IsZero() || Divides(difference, slope);
  }

  std::string variable_;
  Poly extent_;
  std::int64_t step_;
  Reach inner_;
  std::vector<const Stmt*> loops_;  // All within.
  std::set<std::string> unsteady_;  // Declared or assigned within.
  const Definitions& definitions_;
};

// The names that are declared anew by each iteration wherever the list uses
// them: not those that keep their value, nor those that an inner block alone
// declares while what is around it assigns one of the same name.
class OwnNames {
 public:
  explicit OwnNames(const StmtList& list) {
    Walk(list, {});
    for (const std::string& name : DeclaredNames(list)) {
      if (!others_.contains(name)) own_.insert(name);
    }
  }

  bool Contains(const std::string& name) const { return own_.contains(name); }

 private:
  void Walk(const StmtList& list, std::set<std::string> visible) {
    for (const Stmt& stmt : list) {
      if (stmt.kind == StmtKind::kFor) {
        VisitOwnExprs(stmt, [&](const Expr& e) { Note(e, visible); });
        std::set<std::string> inside = visible;
        inside.insert(stmt.name);
        Walk(stmt.body, std::move(inside));
        continue;
      }
      VisitOwnExprs(stmt, [&](const Expr& e) { Note(e, visible); });
      if (stmt.kind == StmtKind::kDecl) {
        visible.insert(stmt.name);
        if (stmt.type.find("static") != std::string::npos &&
            stmt.type.find("thread_local") == std::string::npos) {
          others_.insert(stmt.name);
        }
      }
      Walk(stmt.body, visible);
      Walk(stmt.orelse, visible);
    }
  }

  void Note(const Expr& whole, const std::set<std::string>& visible) {
    Visit(whole, [&](const Expr& e) {
      if (e.kind == ExprKind::kName && !visible.contains(e.text)) {
        others_.insert(e.text);
      }
    });
  }

  std::set<std::string> own_, others_;
};

// What says how often the loop runs.
bool MentionsInHead(const Stmt& loop, const std::set<std::string>& names) {
  return names.contains(loop.name) || MentionsAny(loop.bound, names) ||
         MentionsAny(loop.step, names);
}

}  // namespace

std::vector<Fold> FoldOf(const Expr& expr) {
  if (!IsAssignment(expr)) return {};
  const Expr& target = expr.args[0];
  const Expr& value = expr.args[1];
  const std::string name = Print(target);
  const auto uses_target = [&](const Expr& e) {
    return HasPart(e, [&](const Expr& part) { return part == target; });
  };
  if (expr.text == "+=" || expr.text == "-=" || expr.text == "*=") {
    if (uses_target(value)) return {};
    const std::string op = expr.text == "*=" ? "*" : "+";
    return {{name, op,
             expr.text == "-=" ? Expr{ExprKind::kUnary, "-", {value}} : value}};
  }
  if (expr.text != "=") return {};
  std::string op;
  std::vector<Expr> sides;
  if (value.kind == ExprKind::kBinary &&
      (value.text == "+" || value.text == "*")) {
    op = value.text;
    sides = value.args;
  } else if (CalledFunction(value) == "max" || CalledFunction(value) == "min") {
    op = CalledFunction(value);
    sides = {value.args.begin() + 1, value.args.end()};
  } else if (value.kind == ExprKind::kTernary &&
             value.args[0].kind == ExprKind::kBinary &&
             (value.args[0].text == "<" || value.args[0].text == ">")) {
    // a < b ? b : a is the larger.
    const Expr& compare = value.args[0];
    const bool same =
        compare.args[0] == value.args[1] && compare.args[1] == value.args[2];
    const bool swapped =
        compare.args[0] == value.args[2] && compare.args[1] == value.args[1];
    if (!same && !swapped) return {};
    op = (compare.text == ">") == same ? "max" : "min";
    sides = compare.args;
  }
  if (sides.size() != 2) return {};
  for (std::size_t side : {0U, 1U}) {
    if (sides[side] == target && !uses_target(sides[1 - side])) {
      return {{name, op, sides[1 - side]}};
    }
  }
  return {};
}

Expr NeutralValue(const std::string& op, const std::string& type) {
  const bool integer = IsWholeType(type);
  if (op == "+") return Literal(integer ? "0" : "0.0f");
  if (op == "*") return Literal(integer ? "1" : "1.0f");
  if (integer) {
    return Call("std::numeric_limits<" + WithoutConst(type) +
                    ">::" + (op == "max" ? "lowest" : "max"),
                {});
  }
  const Expr infinity = Name("INFINITY");
  return op == "max" ? Expr{ExprKind::kUnary, "-", {infinity}} : infinity;
}

Expr Combine(const std::string& op, Expr left, Expr right) {
  if (op == "max" || op == "min") {
    return Call("std::" + op, {std::move(left), std::move(right)});
  }
  return Binary(op, std::move(left), std::move(right));
}

std::vector<Reduction> ReductionsIn(const StmtList& list,
                                    const std::string& scalar) {
  std::string op;
  bool clean = true;
  VisitExprs(list, [&](const Expr& expr) {
    if (!Mentions(expr, scalar)) return;
    const auto fold = FoldOf(expr);
    if (fold.empty() || fold[0].target != scalar ||
        (!op.empty() && op != fold[0].op)) {
      clean = false;
    } else {
      op = fold[0].op;
    }
  });
  // `if (e > s) s = e` mentions the scalar in the condition.
  if (!clean || op.empty()) return {};
  return {{scalar, op}};
}

Independence TestIndependence(const Stmt& loop,
                              const Definitions& definitions) {
  Independence result;
  const Effects effects = EffectsOf(loop.body);
  if (effects.opaque) {
    result.why_not = "it holds code whose effects are unknown";
    return result;
  }
  if (MentionsInHead(loop, effects.Written())) {
    result.why_not = "its iterations decide how many there are";
    return result;
  }
  const OwnNames locals(loop.body);
  for (const std::string& scalar : effects.writes) {
    if (locals.Contains(scalar)) continue;
    auto reductions = ReductionsIn(loop.body, scalar);
    if (reductions.empty()) {
      result.why_not =
          "`" + scalar + "` carries a value from one iteration to the next";
      return result;
    }
    result.reductions.push_back(std::move(reductions[0]));
  }
  const Definitions visible = WithThoseIn(loop.body, definitions);
  const ArrayTest test(loop, visible);
  for (const std::string& array : effects.WrittenArrays()) {
    if (locals.Contains(array)) continue;
    if (effects.handed.contains(array)) {
      result.why_not = "a function may look at all of `" + array + "`";
      return result;
    }
    std::vector<const ArrayAccess*> accesses;
    for (const ArrayAccess& access : effects.accesses) {
      if (access.array == array) accesses.push_back(&access);
    }
    if (!test.Disjoint(accesses)) {
      result.why_not =
          "iterations may touch the same elements of `" + array + "`";
      return result;
    }
  }
  result.holds = true;
  return result;
}

std::string WhyNotExchanged(const Stmt& outer, const Stmt& inner,
                            const Definitions& definitions) {
  const Independence as_is = TestIndependence(outer, definitions);
  if (as_is.Fully()) return "";
  // That iterations within one of `outer` are independent is not enough: in
  // c[i + j] = c[i + j] / 2 + a[i], those of other rows would meet earlier.
  Stmt within = outer;
  within.body = inner.body;
  Stmt exchanged = inner;
  exchanged.body = {std::move(within)};
  if (TestIndependence(exchanged, definitions).Fully()) return "";
  return as_is.holds ? "both loops fold values" : as_is.why_not;
}

}  // namespace coppice::agents::catalogue
