// interior(v): a loop cut in three where its tests of a border are decided.
//
//   for j < W { for q in -2..2 { if (j + q >= 0 && j + q < W) { body } } }
// becomes
//   for j < 2 { as before }
//   for j from 2 up to W - 2 { for q in -2..2 { body } }
//   for j from W - 2 up to W { as before }
// A test compares the variable, plus what the loop does not change, with a
// bound: in an `if`, a choice `a ? b : c`, or a clamp such as
// `c = c < 0 ? 0 : c` or std::max(c, 0).  What is decided by data read in
// front of the loop, as `c - weight[i] >= 0`, is cut there.  The order of
// iterations stays, so no loop has to be independent.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "agents/catalogue/effects.h"
#include "agents/catalogue/loop_catalogue.h"
#include "agents/catalogue/range.h"

namespace coppice::agents::catalogue {
namespace {

// Where a test turns: v >= at, or v < at.
struct Turn {
  bool above = false;
  Poly low, high;  // Of `at`, over the loops within.
};

std::optional<bool> Truth(const Expr& expr) {
  if (IsName(expr, "true")) return true;
  if (IsName(expr, "false")) return false;
  return std::nullopt;
}

Expr TruthOf(bool value) { return Name(value ? "true" : "false"); }

// Makes the loop's body what it is between the borders, and finds these.
class Middle {
 public:
  Middle(const Site& site, const Stmt& loop) : loop_(loop) {
    outside_ = site.definitions;
    for (const auto& [name, value] : site.constants) {
      outside_.try_emplace(name, Number(value));
    }
    for (const Param& param : site.kernel.params) Note(param.type, param.name);
    VisitStmts(site.kernel.body,
               [&](const Stmt& stmt) { Note(stmt.type, stmt.name); });
    const Effects effects = EffectsOf({loop});
    changes_ = effects.Written();
    declared_ = DeclaredNames(loop.body);
    for (const std::string& name : declared_) outside_.erase(name);
    first = ToPoly(*loop.init, outside_);
    end = ToPoly(loop.bound, outside_);
    body = List(loop.body);
  }

  StmtList body;  // Between the borders.
  // The middle begins and ends at the greatest and the least of these.
  std::vector<Poly> lows, highs;
  Poly first, end;  // Of the whole loop.

 private:
  static bool IsInteger(const std::string& type) {
    return type.find("int") != std::string::npos && !Wraps(type);
  }

  void Note(const std::string& type, const std::string& name) {
    if (IsInteger(type)) integers_.insert(name);
    if (Wraps(type)) wrapping_.insert(name);
  }

  StmtList List(StmtList list) {
    const Definitions before = known_;
    StmtList made;
    for (Stmt& stmt : list) Append(made, One(std::move(stmt)));
    known_ = before;
    return made;
  }

  void Forget(const StmtList& list) {
    const std::set<std::string> writes = EffectsOf(list).writes;
    std::erase_if(known_, [&](const auto& entry) {
      return writes.contains(entry.first) || MentionsAny(entry.second, writes);
    });
  }

  StmtList One(Stmt stmt) {
    switch (stmt.kind) {
      case StmtKind::kDecl:
        if (stmt.init) stmt.init = Value(*stmt.init);
        known_.erase(stmt.name);
        if (stmt.init && stmt.dims.empty() &&
            stmt.init->kind != ExprKind::kList && IsInteger(stmt.type)) {
          known_[stmt.name] = Expanded(*stmt.init, known_);
        }
        break;
      case StmtKind::kExpr:
        Clamp(stmt.expr);
        stmt.expr = Value(std::move(stmt.expr));
        if (IsAssignment(stmt.expr) &&
            stmt.expr.args[0].kind == ExprKind::kName) {
          const std::string name = stmt.expr.args[0].text;
          if (stmt.expr.text == "=" && IsName(stmt.expr.args[1], name)) {
            return {};
          }
        }
        Forget({stmt});
        break;
      case StmtKind::kFor:
        return Loop(std::move(stmt));
      case StmtKind::kIf:
        return Choice(std::move(stmt));
      case StmtKind::kBlock:
        stmt.body = List(std::move(stmt.body));
        Forget(stmt.body);
        break;
      case StmtKind::kComment:
        break;
      case StmtKind::kRaw:
        known_.clear();
        break;
    }
    return {std::move(stmt)};
  }

  StmtList Loop(Stmt loop) {
    Forget(loop.body);
    known_.erase(loop.name);
    const Stmt here = loop;
    loops_.push_back(&here);
    loop.body = List(std::move(loop.body));
    loops_.pop_back();
    return {std::move(loop)};
  }

  StmtList Choice(Stmt stmt) {
    // What a guard lets in is what the middle shall do.
    const bool guard = stmt.orelse.empty();
    stmt.expr = Condition(std::move(stmt.expr),
                          guard ? std::optional(true) : std::nullopt);
    const auto truth = Truth(stmt.expr);
    ++guards_;
    stmt.body = List(std::move(stmt.body));
    stmt.orelse = List(std::move(stmt.orelse));
    --guards_;
    if (!truth) {
      Forget(stmt.body);
      Forget(stmt.orelse);
      return {std::move(stmt)};
    }
    StmtList taken = std::move(*truth ? stmt.body : stmt.orelse);
    Forget(taken);
    const bool declares =
        std::any_of(taken.begin(), taken.end(),
                    [](const Stmt& s) { return s.kind == StmtKind::kDecl; });
    if (!declares) return taken;
    return {MakeBlock(std::move(taken))};
  }

  // In the middle `v = test ? bound : v` shall leave the name as it is.
  void Clamp(Expr& expr) {
    if (!IsAssignment(expr) || expr.text != "=" ||
        expr.args[1].kind != ExprKind::kTernary) {
      return;
    }
    std::vector<Expr>& choice = expr.args[1].args;
    for (const std::size_t side : {1U, 2U}) {
      if (choice[side] == expr.args[0]) {
        choice[0] = Condition(std::move(choice[0]), side == 1);
        return;
      }
    }
  }

  // Choices within an expression that are decided.
  Expr Value(Expr expr) {
    const bool chooses = expr.kind == ExprKind::kTernary;
    guards_ += chooses ? 1 : 0;
    for (Expr& arg : expr.args) arg = Value(std::move(arg));
    guards_ -= chooses ? 1 : 0;
    if (chooses) {
      expr.args[0] = Condition(std::move(expr.args[0]), std::nullopt);
      if (const auto truth = Truth(expr.args[0])) {
        return std::move(expr.args[*truth ? 1 : 2]);
      }
    }
    const std::string called = CalledFunction(expr);
    if ((called == "max" || called == "min") && expr.args.size() == 3) {
      const auto less =
          Decide(Binary("<", expr.args[1], expr.args[2]), std::nullopt);
      if (less) return std::move(expr.args[*less == (called == "min") ? 1 : 2]);
    }
    return expr;
  }

  // `true`, `false`, or what is left to test.  `wanted` is what to suppose if
  // both sides of the turn may be long.
  Expr Condition(Expr expr, std::optional<bool> wanted) {
    if (expr.kind == ExprKind::kUnary && expr.text == "!") {
      if (wanted) wanted = !*wanted;
      expr.args[0] = Condition(std::move(expr.args[0]), wanted);
      if (const auto truth = Truth(expr.args[0])) return TruthOf(!*truth);
      return expr;
    }
    if (expr.kind == ExprKind::kBinary &&
        (expr.text == "&&" || expr.text == "||")) {
      const bool neutral = expr.text == "&&";
      if (wanted != neutral) wanted.reset();
      for (Expr& arg : expr.args) {
        arg = Condition(std::move(arg), wanted);
        ++guards_;  // The second is looked at after the first.
      }
      guards_ -= 2;
      for (std::size_t i : {0U, 1U}) {
        const auto truth = Truth(expr.args[i]);
        if (!truth) continue;
        if (*truth == neutral) return std::move(expr.args[1 - i]);
        return TruthOf(!neutral);
      }
      return expr;
    }
    if (const auto truth = Decide(expr, wanted)) return TruthOf(*truth);
    return expr;
  }

  // Is it so in the middle?  Notes where that begins or ends.
  std::optional<bool> Decide(const Expr& test, std::optional<bool> wanted) {
    const auto turn = TurnOf(test);
    if (!turn) return std::nullopt;
    const auto to_first = Apart(turn->high, first);
    const auto to_end = Apart(turn->low, end);
    bool low_end = false;
    if (to_first && (!to_end || *to_first <= *to_end)) {
      low_end = true;
    } else if (!to_end) {
      if (!wanted) return std::nullopt;
      low_end = turn->above == *wanted;
    }
    if (low_end) {
      Note(lows, turn->high, first, /*greatest=*/true);
    } else {
      Note(highs, turn->low, end, /*greatest=*/false);
    }
    return turn->above == low_end;
  }

  // How far, if that is a number.
  static std::optional<std::int64_t> Apart(const Poly& a, const Poly& b) {
    const auto apart = (a - b).Constant();
    return apart ? std::optional(std::abs(*apart)) : std::nullopt;
  }

  // One turn stays where several are a constant apart.
  static void Note(std::vector<Poly>& turns, const Poly& turn, const Poly& last,
                   bool greatest) {
    for (Poly& other : turns) {
      const auto apart = (turn - other).Constant();
      if (!apart) continue;
      if ((*apart > 0) == greatest) other = turn;
      return;
    }
    // No border where the loop ends anyway.
    const auto beyond = (turn - last).Constant();
    if (beyond && (greatest ? *beyond <= 0 : *beyond >= 0)) return;
    turns.push_back(turn);
  }

  std::optional<Turn> TurnOf(const Expr& test) {
    static const std::set<std::string> kOrders = {"<", "<=", ">", ">="};
    if (test.kind != ExprKind::kBinary || !kOrders.contains(test.text) ||
        MayWrap(test, wrapping_)) {  // Below 0 it says something else.
      return std::nullopt;
    }
    // left - right >= 0, or < 0.
    bool above = test.text[0] == '>';
    Poly difference = ToPoly(Expanded(test.args[0], known_), outside_) -
                      ToPoly(Expanded(test.args[1], known_), outside_);
    if (test.text == ">" || test.text == "<=") {
      difference = difference - Poly(1);
    }
    const auto split = SplitBy(difference, loop_.name);
    if (!split) return std::nullopt;
    const auto slope = split->slope.Constant();
    if (!slope || (*slope != 1 && *slope != -1)) return std::nullopt;
    // v + rest >= 0 turns at -rest, rest - v >= 0 behind rest.
    Poly at = Poly(0) - split->rest;
    if (*slope < 0) {
      at = split->rest + Poly(1);
      above = !above;
    }
    const auto range = RangeOf(at, loops_, outside_);
    if (!range || !IsFixed(range->low) || !IsFixed(range->high)) {
      return std::nullopt;
    }
    return Turn{above, range->low, range->high};
  }

  // Made of integers that the loop neither declares nor writes.  A load must
  // be one that every iteration makes, or it may be none to make in front.
  bool IsFixed(const Poly& poly) const {
    bool fixed = true;
    Visit(ToExpr(poly), [&](const Expr& e) {
      if (e.kind == ExprKind::kName) {
        fixed &= integers_.contains(e.text) && !declared_.contains(e.text) &&
                 !changes_.contains(e.text);
      } else if (e.kind == ExprKind::kIndex) {
        fixed &= guards_ == 0 && loops_.empty();
      } else if (e.kind == ExprKind::kNumber) {
        fixed &= IntegerValue(e).has_value();
      } else if (e.kind == ExprKind::kBinary) {
        fixed &= !IsAssignment(e) && e.text != "/" && e.text != "%";
      } else if (e.kind != ExprKind::kUnary || e.text != "-") {
        fixed = false;
      }
    });
    return fixed;
  }

  const Stmt& loop_;
  std::set<std::string> integers_;  // Of the kernel, and arrays of such.
  std::set<std::string> wrapping_;  // The same without a sign.
  int guards_ = 0;                  // Around what is looked at.
  Definitions outside_, known_;
  std::set<std::string> changes_, declared_;
  std::vector<const Stmt*> loops_;
};

Expr Extreme(const std::string& function, Expr a, Expr b) {
  return Call("std::" + function + "<int64_t>", {std::move(a), std::move(b)});
}

// The greatest or least of the turns, and of where the loop ends by itself
// unless one of the turns is known to lie within.
Expr Most(const std::string& function, const Poly& end,
          const std::vector<Poly>& turns) {
  std::optional<Expr> most;
  const bool within = std::any_of(
      turns.begin(), turns.end(),
      [&](const Poly& turn) { return (turn - end).Constant().has_value(); });
  if (!within) most = ToExpr(end);
  for (const Poly& turn : turns) {
    most = most ? Extreme(function, *most, ToExpr(turn)) : ToExpr(turn);
  }
  return *most;
}

}  // namespace

Outcome Interior(const Site& site, const Stmt& loop, const Technique&) {
  if (!IsPlain(loop)) return NoReason("the loop has a step or a pragma");
  if (EffectsOf({loop}).opaque) {
    return NoReason("it holds code whose effects are unknown");
  }
  if (MentionsAny(loop.bound, EffectsOf(loop.body).writes)) {
    return NoReason("the loop moves its own end");
  }
  const Middle middle(site, loop);
  if (middle.lows.empty() && middle.highs.empty()) {
    return NoReason("no test in it is of a border");
  }
  StmtList list;
  const auto border = [&](const char* side, Expr init, Expr bound) {
    Stmt part = loop;
    part.init = std::move(init);
    part.bound = std::move(bound);
    StmtList copy = {std::move(part)};
    // The names stay the middle's, and stand for one thing each.
    for (const std::string& name : DeclaredNames(copy)) {
      Rename(copy, name, site.Fresh(name + side));
    }
    list.push_back(std::move(copy[0]));
  };
  Expr begin = *loop.init, end = loop.bound;
  if (!middle.lows.empty()) {
    const std::string name = site.Fresh(loop.name + "_begin");
    list.push_back(
        MakeDecl("int64_t", name,
                 Extreme("min", Most("max", middle.first, middle.lows), end)));
    border("_low", begin, Name(name));
    begin = Name(name);
  }
  if (!middle.highs.empty()) {
    const std::string name = site.Fresh(loop.name + "_end");
    list.push_back(
        MakeDecl("int64_t", name,
                 Extreme("max", begin, Most("min", middle.end, middle.highs))));
    end = Name(name);
  }
  Stmt main = loop;
  main.init = begin;
  main.bound = end;
  main.body = middle.body;
  list.push_back(std::move(main));
  if (!middle.highs.empty()) border("_high", end, loop.bound);
  return WithLoop(site, loop.name, std::move(list));
}

}  // namespace coppice::agents::catalogue
