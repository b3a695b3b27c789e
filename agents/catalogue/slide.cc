// slide(k): folds over a window that moves by one with the loop around it.
//
//   for i { float s = 0; for k < K { s += x[i + k]; } y[i] = s / K; }
// folds windows of 1, 2, 4, ... elements out of each other, a thousand places
// at a time, and joins those that K is the sum of: some 2 log2(K) steps for a
// place, each of which is vector code, instead of K.  Nothing is subtracted
// again, so that no element leaves its rounding behind, an infinity none of
// its kind, and a maximum can be had like a sum.  Sums of floats are rounded
// in another order, with fewer steps.
#include <utility>

#include "agents/catalogue/dependence.h"
#include "agents/catalogue/effects.h"
#include "agents/catalogue/loop_catalogue.h"
#include "agents/catalogue/print.h"
#include "agents/catalogue/range.h"
#include "agents/catalogue/strip.h"

namespace coppice::agents::catalogue {
namespace {

constexpr std::int64_t kPlaces = 1024;  // At a time, which fit in a cache.

// terms[i] becomes the fold of `span` of them, for span = 1, 2, 4, ..., and
// folds[i] that of `width`.
std::string HelperName(const std::string& op, const std::string& type) {
  std::string name = "SlidingSum";
  if (op == "*") name = "SlidingProduct";
  if (op == "max") name = "SlidingMaximum";
  if (op == "min") name = "SlidingMinimum";
  return name + "_" + type;
}

std::string HelperSource(const std::string& op, const std::string& type) {
  const auto joined = [&](const std::string& a, const std::string& b) {
    if (op == "max") return a + " < " + b + " ? " + b + " : " + a;
    if (op == "min") return b + " < " + a + " ? " + b + " : " + a;
    return a + " " + op + " " + b;
  };
  return "static inline void " + HelperName(op, type) + "(" + type +
         "* __restrict__ terms,\n    " + type +
         "* __restrict__ folds, int64_t count, int64_t width) {\n"
         "  for (int64_t i = 0; i < count; ++i) {\n"
         "    folds[i] = " +
         Print(NeutralValue(op, type)) +
         ";\n  }\n"
         "  int64_t done = 0;\n"
         "  for (int64_t span = 1; span <= width; span *= 2) {\n"
         "    if ((width & span) != 0) {\n"
         "#pragma omp simd\n"
         "      for (int64_t i = 0; i < count; ++i) {\n"
         "        folds[i] = " +
         joined("folds[i]", "terms[i + done]") +
         ";\n      }\n"
         "      done += span;\n"
         "    }\n"
         "    const int64_t doubled = count + width - 2 * span;\n"
         "#pragma omp simd\n"
         "    for (int64_t i = 0; i < doubled; ++i) {\n"
         "      terms[i] = " +
         joined("terms[i]", "terms[i + span]") +
         ";\n    }\n"
         "  }\n"
         "}\n";
}

// The loop around the one over `k`, if that stands right in it.
const Stmt* Around(const StmtList& list, const std::string& k) {
  for (const Stmt& stmt : list) {
    for (const Stmt& inner : stmt.body) {
      if (stmt.kind == StmtKind::kFor && inner.kind == StmtKind::kFor &&
          inner.name == k) {
        return &stmt;
      }
    }
    if (const Stmt* found = Around(stmt.body, k)) return found;
    if (const Stmt* found = Around(stmt.orelse, k)) return found;
  }
  return nullptr;
}

class SlidingWindow {
 public:
  SlidingWindow(const Site& site, const Stmt& places, const Stmt& window)
      : site_(site), i_(places), k_(window) {
    const Effects effects = EffectsOf({places});
    changed_ = effects.Written();
    declared_ = DeclaredNames(places.body);
    if (effects.opaque) {
      Refuse("it holds code whose effects are unknown");
      return;
    }
    for (const Stmt* loop : {&i_, &k_}) {
      if (!IsPlain(*loop)) {
        Refuse("a loop has a step or a pragma");
        return;
      }
      if (!IsFixed(*loop->init) || !IsFixed(loop->bound)) {
        Refuse("the window's size changes");
        return;
      }
    }
    if (i_.name == k_.name) return;
    Body(k_.body, std::nullopt);
    if (why_not_.empty() && folds_.empty()) Refuse("nothing is folded");
    for (const Fold& fold : folds_) {
      if (ReductionsIn(plain_, fold.target).empty()) {
        Refuse("`" + fold.target + "` is folded in two ways");
      }
    }
  }

  const std::string& WhyNot() const { return why_not_; }

  // The loop over the places.
  Stmt Run(std::vector<std::string>& helpers) const {
    const Poly first = ToPoly(*k_.init, {});
    const Poly size = ToPoly(k_.bound, {}) - first;
    const Expr width = ToExpr(size);
    const std::string lane = site_.Fresh(i_.name + "_place");
    const std::string count = site_.Fresh(i_.name + "_count");
    const std::string term = site_.Fresh(i_.name + "_term");
    StmtList body = {MakeDecl(
        "const int64_t", count,
        Call("std::min<int64_t>",
             {Number(kPlaces), Binary("-", i_.bound, Name(i_.name))}))};
    const Expr terms =
        Call("std::max<int64_t>",
             {ToExpr(Poly::Variable(count) + size - Poly(1)), Number(0)});
    StmtList filled, folded, joined;
    for (const Fold& fold : folds_) {
      const std::string name = site_.Fresh(fold.target + "_terms");
      const std::string result = site_.Fresh(fold.target + "_window");
      // The number of the first window is i.
      Expr value = Substituted(
          fold.value, kPlace,
          ToExpr(Poly::Variable(i_.name) + Poly::Variable(term) + first));
      body.push_back(MakeVector(fold.type, name, {terms}));
      body.push_back(MakeArray(fold.type, result, {Number(kPlaces)}));
      filled.push_back(
          MakeExpr(Binary("=", Index(Name(name), Name(term)), value)));
      folded.push_back(MakeExpr(
          Call(HelperName(fold.op, fold.type),
               {CallMethod(name, "data"), Name(result), Name(count), width})));
      const Expr now = Index(Name(result), Name(lane));
      Expr both = Combine(fold.op, Name(fold.target), now);
      if (fold.op == "max" || fold.op == "min") {
        both.args[0].text += "<" + fold.type + ">";
      }
      joined.push_back(
          MakeExpr(Binary("=", Name(fold.target), std::move(both))));
      helpers.push_back(HelperSource(fold.op, fold.type));
    }
    body.push_back(
        MakeFor(term, Number(0), terms, Number(1), std::move(filled)));
    Append(body, std::move(folded));
    StmtList rest;
    for (const Stmt& stmt : i_.body) {
      Append(rest, &stmt == &k_ ? joined : StmtList{stmt});
    }
    Substitute(rest, i_.name, Add(Name(i_.name), Name(lane)));
    body.push_back(
        MakeFor(lane, Number(0),
                Call("std::min<int64_t>", {Number(kPlaces), Name(count)}),
                Number(1), std::move(rest)));
    Stmt places = i_;
    places.step = Number(kPlaces);
    places.body = std::move(body);
    return places;
  }

 private:
  // Stands for i + k in what is folded.
  static constexpr const char* kPlace = "place_of_window";

  struct Fold {
    std::string target, type, op;
    Expr value;
  };

  void Refuse(std::string why) {
    if (why_not_.empty()) why_not_ = std::move(why);
  }

  bool IsFixed(const Expr& expr) const {
    return !MentionsAny(expr, changed_) && !MentionsAny(expr, declared_) &&
           !Mentions(expr, i_.name);
  }

  void Body(const StmtList& list, const std::optional<Expr>& guard) {
    for (const Stmt& stmt : list) {
      if (stmt.kind == StmtKind::kComment) continue;
      if (stmt.kind == StmtKind::kDecl && stmt.init && stmt.dims.empty() &&
          !changed_.contains(stmt.name) && stmt.init->kind != ExprKind::kList) {
        known_[stmt.name] = Cast(stmt.type, Expanded(*stmt.init, known_));
      } else if (const auto choice = AsChoice(stmt)) {
        AddFold(*choice, guard);
      } else if (stmt.kind == StmtKind::kIf && stmt.orelse.empty() && !guard) {
        const auto test = Shifted(Expanded(stmt.expr, known_));
        if (!test)
          return Refuse("what guards the window does not move with it");
        Body(stmt.body, test);
      } else if (stmt.kind == StmtKind::kExpr) {
        AddFold(stmt.expr, guard);
      } else {
        return Refuse("it does more than fold");
      }
    }
  }

  // `if (e > s) { s = e; }` as s = e > s ? e : s.
  static std::optional<Expr> AsChoice(const Stmt& stmt) {
    if (stmt.kind != StmtKind::kIf || !stmt.orelse.empty() ||
        stmt.body.size() != 1 || stmt.body[0].kind != StmtKind::kExpr ||
        stmt.body[0].expr.text != "=" || !IsAssignment(stmt.body[0].expr)) {
      return std::nullopt;
    }
    const Expr& target = stmt.body[0].expr.args[0];
    Expr choice = Binary("=", target,
                         Ternary(stmt.expr, stmt.body[0].expr.args[1], target));
    if (FoldOf(choice).empty()) return std::nullopt;
    return choice;
  }

  // As the declaration would convert it.  Integers are widened by no one.
  static Expr Cast(const std::string& type, Expr value) {
    if (WithoutConst(type) == "int64_t") return value;
    return Call("static_cast<" + WithoutConst(type) + ">", {std::move(value)});
  }

  void AddFold(const Expr& expr, const std::optional<Expr>& guard) {
    const auto found = FoldOf(expr);
    if (found.empty() || expr.args[0].kind != ExprKind::kName) {
      return Refuse("it does more than fold");
    }
    Fold fold{expr.args[0].text, "", found[0].op, {}};
    for (const Stmt& stmt : i_.body) {
      if (stmt.kind == StmtKind::kDecl && stmt.name == fold.target &&
          stmt.dims.empty()) {
        fold.type = stmt.type;
      }
    }
    static const std::set<std::string> kTypes = {"float", "double", "int32_t",
                                                 "int64_t"};
    if (!kTypes.contains(fold.type)) {
      return Refuse("what is folded into is no local number");
    }
    if (IsWholeType(fold.type) && !IsWhole(found[0].value, site_.kernel)) {
      return Refuse("`" + fold.target + "` is cut to a whole number each time");
    }
    plain_.push_back(MakeExpr(expr));
    auto value = Shifted(Expanded(found[0].value, known_));
    if (!value) {
      return Refuse("what is folded does not move with the window");
    }
    value = Call("static_cast<" + fold.type + ">", {std::move(*value)});
    fold.value = guard ? Ternary(*guard, std::move(*value),
                                 NeutralValue(fold.op, fold.type))
                       : std::move(*value);
    folds_.push_back(std::move(fold));
  }

  // By i + k, if it depends on the two by their sum alone and on nothing else
  // that the loops change.
  std::optional<Expr> Shifted(const Expr& expr) const {
    if (!Mentions(expr, i_.name) && !Mentions(expr, k_.name)) {
      if (IsFixed(expr)) return expr;
      return std::nullopt;
    }
    if (IsSum(expr)) return ShiftedSum(expr);
    switch (expr.kind) {
      case ExprKind::kIndex:
        if (expr.args[0].kind != ExprKind::kName) return std::nullopt;
        break;
      case ExprKind::kBinary:
        if (IsAssignment(expr)) return std::nullopt;
        break;
      case ExprKind::kUnary:
        if (expr.text != "-" && expr.text != "!") return std::nullopt;
        break;
      case ExprKind::kTernary:
      case ExprKind::kCast:
        break;
      case ExprKind::kCall:
        if (expr.args[0].kind != ExprKind::kName) return std::nullopt;
        break;
      default:
        return std::nullopt;
    }
    Expr shifted = expr;
    for (std::size_t n = 0; n < expr.args.size(); ++n) {
      if (n == 0 && expr.kind == ExprKind::kCall) continue;
      auto arg = Shifted(expr.args[n]);
      if (!arg) return std::nullopt;
      shifted.args[n] = std::move(*arg);
    }
    return shifted;
  }

  // Made of names and whole numbers.
  static bool IsSum(const Expr& expr) {
    if (expr.kind == ExprKind::kBinary &&
        (expr.text == "+" || expr.text == "-" || expr.text == "*")) {
      return IsSum(expr.args[0]) && IsSum(expr.args[1]);
    }
    return expr.kind == ExprKind::kName || IntegerValue(expr).has_value();
  }

  std::optional<Expr> ShiftedSum(const Expr& expr) const {
    const auto by_i = SplitBy(ToPoly(expr, {}), i_.name);
    if (!by_i) return std::nullopt;
    const auto by_k = SplitBy(by_i->rest, k_.name);
    if (!by_k || !(by_k->slope == by_i->slope) ||
        by_i->slope.Mentions(k_.name) || !IsFixed(ToExpr(by_i->slope)) ||
        !IsFixed(ToExpr(by_k->rest))) {
      return std::nullopt;
    }
    return ToExpr(by_i->slope * Poly::Variable(kPlace) + by_k->rest);
  }

  const Site& site_;
  const Stmt& i_;
  const Stmt& k_;
  std::set<std::string> changed_, declared_;
  Definitions known_;
  std::vector<Fold> folds_;
  StmtList plain_;  // The folds as assignments.
  std::string why_not_;
};

}  // namespace

Outcome Slide(const Site& site, const Technique& technique) {
  Rewritten result{site.span, {}};
  const Stmt* places = Around(result.span, technique.Arg(0));
  if (places == nullptr) return NoReason("no loop stands right around it");
  const Stmt* window = FindLoop(places->body, technique.Arg(0));
  const SlidingWindow sliding(site, *places, *window);
  if (!sliding.WhyNot().empty()) return NoReason(sliding.WhyNot());
  Stmt made = sliding.Run(result.helpers);
  ReplaceLoop(result.span, std::string(places->name), {std::move(made)});
  return result;
}

}  // namespace coppice::agents::catalogue
