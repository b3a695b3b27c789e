#include "agents/catalogue/network.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <optional>
#include <set>

#include "agents/catalogue/effects.h"
#include "agents/catalogue/parse.h"
#include "agents/catalogue/parse_expr.h"
#include "agents/catalogue/token.h"
#include "agents/catalogue/unroll.h"

namespace coppice::agents::catalogue {
namespace {

constexpr std::int64_t kMostElements = 32;
constexpr std::size_t kMostComparisons = 512;

// `while (condition) { body }`, which the parser leaves as raw text.
struct While {
  Expr condition;
  StmtList body;
};

std::optional<While> MatchWhile(const Stmt& stmt) {
  if (stmt.kind != StmtKind::kRaw) return std::nullopt;
  const std::vector<Token> tokens = Tokenize(stmt.text);
  if (tokens.size() < 3 || tokens[0].text != "while") return std::nullopt;
  std::size_t at = 1;
  auto condition = ParseExpr(tokens, at);  // In its parentheses.
  if (!condition) return std::nullopt;
  StmtList body = ParseStmts(tokens, at);
  if (tokens[at].kind != TokenKind::kEnd) return std::nullopt;
  if (body.size() == 1 && body[0].kind == StmtKind::kBlock) {
    body = StmtList(body[0].body);
  }
  return While{std::move(*condition), std::move(body)};
}

// `name = value` as an assignment or as a declaration.
std::optional<Expr> Given(const Stmt& stmt, const std::string& name) {
  if (stmt.kind == StmtKind::kDecl && stmt.name == name) return stmt.init;
  if (stmt.kind == StmtKind::kExpr && stmt.expr.text == "=" &&
      IsAssignment(stmt.expr) && IsName(stmt.expr.args[0], name)) {
    return stmt.expr.args[1];
  }
  return std::nullopt;
}

bool Decrements(const Stmt& stmt, const std::string& name) {
  if (stmt.kind != StmtKind::kExpr || stmt.expr.args.empty() ||
      !IsName(stmt.expr.args[0], name)) {
    return false;
  }
  return stmt.expr.text == "--" ||
         (stmt.expr.text == "-=" && IntegerValue(stmt.expr.args[1]) == 1);
}

// The order that a test asks to be mended: 1 if it holds for left > right.
int OrderOf(const Expr& test) {
  if (test.kind != ExprKind::kBinary) return 0;
  if (test.text == ">" || test.text == ">=") return 1;
  if (test.text == "<" || test.text == "<=") return -1;
  return 0;
}

// An array of known size that the list declares, and where it is sorted.
class SortedArray {
 public:
  SortedArray(const Site& site, const StmtList& list, std::size_t declaration)
      : site_(site), list_(list), decl_(list[declaration]) {
    const auto size = decl_.dims.size() == 1
                          ? ValueOf(decl_.dims[0], site.constants)
                          : std::nullopt;
    if (decl_.kind != StmtKind::kDecl || decl_.init || !size || *size < 2 ||
        *size > kMostElements) {
      return;
    }
    count_ = static_cast<std::size_t>(*size);
    for (std::size_t i = declaration + 1; i < list.size(); ++i) {
      auto network = NetworkOf(list[i]);
      if (network.empty()) continue;
      comparisons_ = std::move(network);
      sort_ = i;
      declaration_ = declaration;
      return;
    }
  }

  bool Found() const { return !comparisons_.empty(); }

  // The list with scalars instead, or why not.
  tl::expected<StmtList, std::string> Run() const {
    const std::string& array = decl_.name;
    StmtList before, behind;
    for (std::size_t i = declaration_ + 1; i < list_.size(); ++i) {
      if (i != sort_) (i < sort_ ? before : behind).push_back(list_[i]);
    }
    for (StmtList* part : {&before, &behind}) {
      *part = Counted(WrittenOut(std::move(*part)));
      if (!ByConstants(*part)) {
        return NoReason("not all its elements are known by number");
      }
      if (EffectsOf(*part).opaque) {
        return NoReason("it is used by code whose effects are unknown");
      }
    }
    if (EffectsOf(behind).WrittenArrays().contains(array)) {
      return NoReason("it is written again behind the sort");
    }
    std::set<std::size_t> used;
    ForElements(behind, [&](Expr& e) {
      used.insert(static_cast<std::size_t>(Subscript(e)));
    });
    StmtList made(list_.begin(), list_.begin() + Offset(declaration_));
    std::vector<Expr> now;
    for (std::size_t i = 0; i < count_; ++i) {
      now.push_back(Name(site_.Fresh(array + "_" + std::to_string(i))));
      made.push_back(MakeDecl(decl_.type, now[i].text, std::nullopt));
    }
    ForElements(before, [&](Expr& e) {
      e = now[static_cast<std::size_t>(Subscript(e))];
    });
    Append(made, std::move(before));
    Append(made, Compared(used, now));
    ForElements(behind, [&](Expr& e) {
      e = now[static_cast<std::size_t>(Subscript(e))];
    });
    Append(made, std::move(behind));
    return made;
  }

 private:
  static std::ptrdiff_t Offset(std::size_t index) {
    return static_cast<std::ptrdiff_t>(index);
  }

  bool IsElement(const Expr& e) const {
    return e.kind == ExprKind::kIndex && IsName(e.args[0], decl_.name);
  }

  std::int64_t Subscript(const Expr& element) const {
    return ValueOf(element.args[1], site_.constants).value_or(-1);
  }

  bool IsInside(const Expr& element) const {
    const std::int64_t at = Subscript(element);
    return at >= 0 && at < static_cast<std::int64_t>(count_);
  }

  void ForElements(StmtList& list,
                   const std::function<void(Expr&)>& visit) const {
    RewriteParts(list, [&](Expr& e) {
      if (!IsElement(e)) return false;
      visit(e);
      return true;
    });
  }

  // Loops of known length that mention the array are written out.
  StmtList WrittenOut(StmtList list) const {
    StmtList made;
    for (Stmt& stmt : list) {
      if (stmt.kind == StmtKind::kFor && Mentions(StmtList{stmt}, decl_.name)) {
        Site here = site_;
        here.span = {stmt};
        if (auto outcome = Unroll(here, here.span[0], {})) {
          Append(made, WrittenOut(std::move(outcome->span)));
          continue;
        }
      }
      stmt.body = WrittenOut(std::move(stmt.body));
      stmt.orelse = WrittenOut(std::move(stmt.orelse));
      made.push_back(std::move(stmt));
    }
    return made;
  }

  // Subscripts by a counter that the list steps through known values become
  // these: w[count++] = x.
  StmtList Counted(StmtList list) const {
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Stmt& decl = list[i];
      if (decl.kind != StmtKind::kDecl || !decl.init ||
          !IntegerValue(*decl.init) || decl.name == decl_.name) {
        continue;
      }
      StmtList rest(list.begin() + Offset(i + 1), list.end());
      std::int64_t value = *IntegerValue(*decl.init);
      if (!EffectsOf(rest).writes.contains(decl.name) ||
          !Step(rest, decl.name, value)) {
        continue;
      }
      list.erase(list.begin() + Offset(i), list.end());
      Append(list, std::move(rest));
      --i;
    }
    return list;
  }

  // Follows the counter; false if it may be stepped or not.
  static bool Step(StmtList& list, const std::string& counter,
                   std::int64_t& value) {
    StmtList made;
    for (Stmt& stmt : list) {
      if (stmt.kind == StmtKind::kBlock) {
        if (!Step(stmt.body, counter, value)) return false;
      } else if (EffectsOf({stmt}).writes.contains(counter)) {
        if (stmt.kind != StmtKind::kExpr) return false;
        if (Steps(stmt.expr, counter)) {
          ++value;
          continue;
        }
        // One w[count++], and nothing else of the counter.
        int steps = 0;
        Rewrite(stmt.expr, [&](Expr& e) {
          if (e.kind != ExprKind::kPostfix || !Steps(e, counter)) return false;
          ++steps;
          e = Number(value);
          return true;
        });
        if (steps != 1 || Mentions(stmt.expr, counter)) return false;
        ++value;
      } else {
        StmtList one = {std::move(stmt)};
        Substitute(one, counter, Number(value));
        stmt = std::move(one[0]);
      }
      made.push_back(std::move(stmt));
    }
    list = std::move(made);
    return true;
  }

  // c++, ++c or c += 1
  static bool Steps(const Expr& expr, const std::string& counter) {
    if (expr.args.empty() || !IsName(expr.args[0], counter)) return false;
    return expr.text == "++" ||
           (expr.text == "+=" && IntegerValue(expr.args[1]) == 1);
  }

  // Is the array used by elements of known number alone?
  bool ByConstants(const StmtList& list) const {
    bool known = true;
    const std::function<void(const Expr&)> look = [&](const Expr& e) {
      if (IsElement(e)) {
        known &= IsInside(e);
        return;
      }
      known &= !IsName(e, decl_.name);
      for (const Expr& arg : e.args) look(arg);
    };
    VisitExprs(list, look);
    VisitStmts(list, [&](const Stmt& s) { known &= s.name != decl_.name; });
    return known;
  }

  std::vector<Comparison> NetworkOf(const Stmt& stmt) const {
    if (IsLibrarySort(stmt)) return SortingNetwork(count_);
    if (stmt.kind != StmtKind::kFor || !stmt.pragmas.empty()) return {};
    if (const int order = InsertionSort(stmt); order != 0) {
      std::vector<Comparison> network = SortingNetwork(count_);
      if (order < 0) {
        for (auto& [first, second] : network) std::swap(first, second);
      }
      return network;
    }
    std::vector<Comparison> network;
    if (!Exchanges({stmt}, site_.constants, network)) return {};
    return SortsAll(network) ? SortingNetwork(count_) : network;
  }

  // std::sort(w, w + N), or a selection, which leaves less in order.
  bool IsLibrarySort(const Stmt& stmt) const {
    if (stmt.kind != StmtKind::kExpr) return false;
    const Expr& call = stmt.expr;
    const std::string called = CalledFunction(call);
    const auto at = [&](const Expr& e) -> std::optional<std::int64_t> {
      if (IsName(e, decl_.name)) return 0;
      if (e.kind != ExprKind::kBinary || e.text != "+" ||
          !IsName(e.args[0], decl_.name)) {
        return std::nullopt;
      }
      return ValueOf(e.args[1], site_.constants);
    };
    const auto all = static_cast<std::int64_t>(count_);
    if (called == "sort" || called == "stable_sort") {
      return call.args.size() == 3 && at(call.args[1]) == 0 &&
             at(call.args[2]) == all;
    }
    return (called == "nth_element" || called == "partial_sort") &&
           call.args.size() == 4 && at(call.args[1]) == 0 && at(call.args[2]) &&
           at(call.args[3]) == all;
  }

  // for a in 1..N { v = w[a]; b = a;
  //   while (b > 0 && w[b - 1] > v) { w[b] = w[b - 1]; b -= 1; } w[b] = v; }
  // or with b, and all its subscripts, less by one.  1 if it ascends, -1 if it
  // descends, 0 if it is none.
  int InsertionSort(const Stmt& loop) const {
    const StmtList body = WithoutComments(loop.body);
    if (body.size() != 4 || IntegerValue(*loop.init) != 1 ||
        IntegerValue(loop.step) != 1 ||
        ValueOf(loop.bound, site_.constants) !=
            static_cast<std::int64_t>(count_)) {
      return 0;
    }
    const auto inner = MatchWhile(body[2]);
    if (!inner) return 0;
    // The value and the place, in either order.
    for (const std::size_t first : {0U, 1U}) {
      const Stmt& value = body[first];
      const Stmt& place = body[1 - first];
      const auto held =
          Given(value, value.kind == StmtKind::kDecl ? value.name
                       : value.expr.args.empty()     ? ""
                                                     : value.expr.args[0].text);
      if (!held || *held != Index(Name(decl_.name), Name(loop.name))) continue;
      const std::string name =
          value.kind == StmtKind::kDecl ? value.name : value.expr.args[0].text;
      const std::string type = DeclaredType(site_.kernel.body, name);
      if (type != decl_.type && type != "const " + decl_.type) continue;
      const std::string at = place.kind == StmtKind::kDecl ? place.name
                             : place.expr.args.empty()
                                 ? ""
                                 : place.expr.args[0].text;
      const auto start = Given(place, at);
      if (!start) continue;
      for (const std::int64_t less : {0, 1}) {
        if (*start == Sub(Name(loop.name), Number(less))) {
          return Inserts(*inner, body[3], name, at, less);
        }
      }
    }
    return 0;
  }

  int Inserts(const While& inner, const Stmt& last, const std::string& value,
              const std::string& at, std::int64_t less) const {
    const Expr low = Index(Name(decl_.name), Sub(Name(at), Number(1 - less)));
    const Expr high = Index(Name(decl_.name), Add(Name(at), Number(less)));
    const StmtList body = WithoutComments(inner.body);
    const Expr& both = inner.condition;
    const auto moves = [](const Stmt& stmt, const Expr& to, const Expr& from) {
      return stmt.kind == StmtKind::kExpr && stmt.expr == Binary("=", to, from);
    };
    if (both.text != "&&" || both.kind != ExprKind::kBinary ||
        body.size() != 2 || !moves(body[0], high, low) ||
        !Decrements(body[1], at) || !moves(last, high, Name(value))) {
      return 0;
    }
    const Expr& bound = both.args[0];
    const bool bounded = bound == Binary(">", Name(at), Number(-less)) ||
                         bound == Binary(">=", Name(at), Number(1 - less));
    const Expr& test = both.args[1];
    const int order = OrderOf(test);
    if (!bounded || order == 0) return 0;
    if (test.args[0] == low && test.args[1] == Name(value)) return order;
    if (test.args[1] == low && test.args[0] == Name(value)) return -order;
    return 0;
  }

  // Does it begin like bubbles or exchanges that sort, and leave in order what
  // is?
  bool SortsAll(const std::vector<Comparison>& network) const {
    std::vector<Comparison> exchanges, bubbles, all_bubbles;
    for (std::size_t a = 0; a + 1 < count_; ++a) {
      for (std::size_t b = a + 1; b < count_; ++b) {
        exchanges.emplace_back(a, b);
        bubbles.emplace_back(b - a - 1, b - a);
        all_bubbles.emplace_back(b - a - 1, b - a);
      }
      for (std::size_t b = count_ - a; b < count_; ++b) {
        all_bubbles.emplace_back(b - 1, b);
      }
    }
    const bool ascends =
        std::all_of(network.begin(), network.end(),
                    [](const Comparison& c) { return c.first < c.second; });
    const auto begins = [&](const std::vector<Comparison>& sort) {
      return network.size() >= sort.size() &&
             std::equal(sort.begin(), sort.end(), network.begin());
    };
    return ascends &&
           (begins(exchanges) || begins(bubbles) || begins(all_bubbles));
  }

  // Loops that do nothing but put two elements in order, one by one.
  bool Exchanges(const StmtList& list, const Constants& values,
                 std::vector<Comparison>& network) const {
    for (const Stmt& stmt : list) {
      if (stmt.kind == StmtKind::kComment) continue;
      if (stmt.kind == StmtKind::kIf) {
        if (!Exchange(stmt, values, network)) return false;
        continue;
      }
      if (stmt.kind != StmtKind::kFor || values.contains(stmt.name)) {
        return false;
      }
      const auto first = ValueOf(*stmt.init, values);
      const auto end = ValueOf(stmt.bound, values);
      const auto step = ValueOf(stmt.step, values);
      if (!first || !end || !step || *step < 1) return false;
      Constants here = values;
      for (std::int64_t i = *first; i < *end; i += *step) {
        here[stmt.name] = i;
        if (!Exchanges(stmt.body, here, network)) return false;
      }
    }
    return true;
  }

  bool Exchange(const Stmt& stmt, const Constants& values,
                std::vector<Comparison>& network) const {
    const int order = OrderOf(stmt.expr);
    if (order == 0 || !stmt.orelse.empty() || !IsElement(stmt.expr.args[0]) ||
        !IsElement(stmt.expr.args[1])) {
      return false;
    }
    const Expr& left = stmt.expr.args[0];
    const Expr& right = stmt.expr.args[1];
    if (!Swaps(WithoutComments(stmt.body), left, right)) return false;
    const auto one = ValueOf(left.args[1], values);
    const auto other = ValueOf(right.args[1], values);
    const auto all = static_cast<std::int64_t>(count_);
    if (!one || !other || *one == *other || std::min(*one, *other) < 0 ||
        std::max(*one, *other) >= all || network.size() >= kMostComparisons) {
      return false;
    }
    network.emplace_back(static_cast<std::size_t>(order > 0 ? *one : *other),
                         static_cast<std::size_t>(order > 0 ? *other : *one));
    return true;
  }

  bool Swaps(const StmtList& body, const Expr& a, const Expr& b) const {
    const auto are = [&](const Expr& x, const Expr& y) {
      return (x == a && y == b) || (x == b && y == a);
    };
    if (body.size() == 1 && body[0].kind == StmtKind::kExpr) {
      const Expr& call = body[0].expr;
      return CalledFunction(call) == "swap" && call.args.size() == 3 &&
             are(call.args[1], call.args[2]);
    }
    if (body.size() != 3 || body[0].kind != StmtKind::kDecl || !body[0].init ||
        (body[0].type != decl_.type && body[0].type != "const " + decl_.type)) {
      return false;
    }
    const Expr held = Name(body[0].name);
    const Expr& first = *body[0].init;
    const Expr& second = first == a ? b : a;
    return are(first, second) && body[1].expr == Binary("=", first, second) &&
           body[2].expr == Binary("=", second, held);
  }

  // Statements after which now[i] is what element i has become, for the used.
  StmtList Compared(std::set<std::size_t> used, std::vector<Expr>& now) const {
    struct Needed {
      Comparison comparison;
      bool least = false, greatest = false;
    };
    std::vector<Needed> steps;
    for (std::size_t i = comparisons_.size(); i-- > 0;) {
      const auto& [first, second] = comparisons_[i];
      const Needed step{comparisons_[i], used.contains(first),
                        used.contains(second)};
      if (!step.least && !step.greatest) continue;
      steps.push_back(step);
      used.insert({first, second});
    }
    StmtList made;
    int number = 0;
    const auto hold = [&](const char* order, const Expr& a, const Expr& b) {
      const std::string name =
          site_.Fresh(decl_.name + "_s" + std::to_string(number++));
      made.push_back(MakeDecl("const " + decl_.type, name,
                              Ternary(Binary(order, b, a), b, a)));
      return Name(name);
    };
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
      const auto [first, second] = step->comparison;
      const Expr a = now[first], b = now[second];
      if (step->least) now[first] = hold("<", a, b);
      if (step->greatest) now[second] = hold(">", a, b);
    }
    return made;
  }

  const Site& site_;
  const StmtList& list_;
  const Stmt& decl_;
  std::size_t count_ = 0, sort_ = 0, declaration_ = 0;
  std::vector<Comparison> comparisons_;
};

// Looks at each list of statements and each declaration in it.
void VisitDeclarations(
    StmtList& list, const std::function<void(StmtList&, std::size_t)>& visit) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    VisitDeclarations(list[i].body, visit);
    VisitDeclarations(list[i].orelse, visit);
    if (list[i].kind == StmtKind::kDecl) visit(list, i);
  }
}

}  // namespace

std::vector<Comparison> SortingNetwork(std::size_t count) {
  std::vector<Comparison> network;
  if (count < 2) return network;
  const std::size_t top = std::bit_ceil(count) / 2;
  for (std::size_t p = top; p > 0; p /= 2) {
    std::size_t q = top, r = 0;
    for (std::size_t d = p;; q /= 2, r = p) {
      for (std::size_t i = 0; i + d < count; ++i) {
        if ((i & p) == r) network.emplace_back(i, i + d);
      }
      if (q == p) break;
      d = q - p;
    }
  }
  return network;
}

std::vector<std::string> SortedArrays(const Site& site) {
  std::vector<std::string> found;
  StmtList span = site.span;
  VisitDeclarations(span, [&](StmtList& list, std::size_t at) {
    if (SortedArray(site, list, at).Found()) found.push_back(list[at].name);
  });
  return found;
}

Outcome Network(const Site& site, const Technique& technique) {
  Rewritten result{site.span, {}};
  std::string why = "no array of that name is sorted here";
  bool done = false;
  VisitDeclarations(result.span, [&](StmtList& list, std::size_t at) {
    if (done || list[at].name != technique.Arg(0)) return;
    const SortedArray array(site, list, at);
    if (!array.Found()) return;
    if (auto made = array.Run()) {
      list = std::move(*made);
      done = true;
    } else {
      why = made.error();
    }
  });
  if (!done) return NoReason(why);
  return result;
}

}  // namespace coppice::agents::catalogue
