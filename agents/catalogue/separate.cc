// separate(p): a sum over the rows p and columns q of a window becomes sums
// along the columns, and then sums of those along the row.
//
//   for i { for j { for p { for q { if (i + p and j + q are inside)
//                                     { s += x[(i + p) * W + j + q]; } } } } }
// becomes
//   for i { for p { if (i + p is inside) { for c { line[c] += x[...]; } } }
//           for j { for q { s += line[j + q]; } } }
// with zeros beyond both ends of `line`.  The summands may have factors of p
// and of q, or weights from a table of plain numbers that is such a product,
// as 1 2 1, 2 4 2, 1 2 1 is; numbers that are counted are counted apart.  Sums
// of floats are rounded in another order, which the tolerance must allow.
#include <algorithm>
#include <cmath>
#include <utility>

#include "agents/catalogue/dependence.h"
#include "agents/catalogue/effects.h"
#include "agents/catalogue/loop_catalogue.h"
#include "agents/catalogue/range.h"
#include "agents/catalogue/strip.h"
#include "agents/catalogue/unroll.h"
#include "store/records/formatted.h"
#include "store/records/parse_number.h"

namespace coppice::agents::catalogue {
namespace {

// A window: rows i around columns j around p around q.
struct Window {
  const Stmt *i = nullptr, *j = nullptr, *p = nullptr, *q = nullptr;
  std::vector<Expr> row_guards, column_guards;
  struct Sum {
    std::string scalar;
    std::string type;
    std::vector<Expr> row_factors, column_factors;
    Expr load;         // Of the array; a number that is counted if kNumber.
    Expr row, column;  // The subscript is their sum.
    StmtList tables;   // That the factors are read from.
  };
  std::vector<Sum> sums;
  std::string why_not;
};

class WindowMatcher {
 public:
  WindowMatcher(const Site& site, const std::string& p) : site_(site) {
    window_.why_not = "the loop runs over no window in a plane";
    Search(site.span, p);
    if (window_.q != nullptr) Read();
  }

  const Window& Found() const { return window_; }

 private:
  void Search(const StmtList& list, const std::string& p) {
    for (const Stmt& i : list) {
      if (i.kind == StmtKind::kFor && window_.q == nullptr) {
        const Stmt* j = OnlyLoop(i.body);
        const Stmt* rows = nullptr;
        if (j != nullptr) {
          for (const Stmt& stmt : j->body) {
            if (stmt.kind == StmtKind::kFor && stmt.name == p) rows = &stmt;
          }
        }
        const Stmt* q = rows != nullptr ? OnlyLoop(rows->body) : nullptr;
        if (q != nullptr && !ContainsLoop(q->body)) {
          window_.i = &i;
          window_.j = j;
          window_.p = rows;
          window_.q = q;
          return;
        }
      }
      Search(i.body, p);
      Search(i.orelse, p);
    }
  }

  bool Refuse(const std::string& why) {
    window_.why_not = why;
    return false;
  }

  void Read() {
    window_.why_not.clear();
    for (const Stmt* loop : {window_.i, window_.j, window_.p, window_.q}) {
      if (!IsPlain(*loop)) {
        Refuse("a loop has a step or a pragma");
        return;
      }
    }
    if (IntegerValue(*window_.j->init).value_or(0) < 0) {
      Refuse("columns begin before the first");
      return;
    }
    const std::set<std::string> all = {window_.i->name, window_.j->name,
                                       window_.p->name, window_.q->name};
    for (const Stmt* loop : {window_.p, window_.q, window_.j}) {
      if (MentionsAny(*loop->init, all) || MentionsAny(loop->bound, all)) {
        Refuse("the window's size changes");
        return;
      }
    }
    known_ = WithThoseIn(window_.q->body, site_.definitions);
    Body(window_.q->body, /*guarded=*/false);
    if (window_.why_not.empty() && window_.sums.empty()) {
      Refuse("nothing is summed");
    }
  }

  void Body(const StmtList& list, bool guarded) {
    for (const Stmt& stmt : list) {
      if (!window_.why_not.empty() || stmt.kind == StmtKind::kComment) continue;
      if (stmt.kind == StmtKind::kDecl && known_.contains(stmt.name)) continue;
      if (stmt.kind == StmtKind::kIf && stmt.orelse.empty() && !guarded &&
          window_.sums.empty()) {
        Guards(stmt.expr);
        Body(stmt.body, true);
        continue;
      }
      if (stmt.kind != StmtKind::kExpr || !AddSum(stmt.expr)) {
        if (window_.why_not.empty()) Refuse("it does more than sum");
        return;
      }
      if (!guarded && !window_.row_guards.empty()) {
        Refuse("some sums are guarded and others are not");
      }
    }
  }

  Expr Expanded(Expr expr) const {
    for (int depth = 0; depth < 4; ++depth) {
      for (const auto& [name, value] : known_) {
        if (DeclaredNames(window_.q->body).contains(name)) {
          expr = Substituted(std::move(expr), name, value);
        }
      }
    }
    return expr;
  }

  bool OfRow(const Expr& e) const {
    return !MentionsAny(e, {window_.j->name, window_.q->name});
  }
  bool OfColumn(const Expr& e) const {
    return !MentionsAny(e, {window_.i->name, window_.p->name});
  }
  // No loads, nor anything that the nest writes.
  bool IsFixed(const Expr& e) const {
    std::set<std::string> changing = EffectsOf({*window_.i}).Written();
    changing.merge(AssignedInRaw({*window_.i}));
    return !MentionsAny(e, changing) && !HasPart(e, [](const Expr& part) {
      return part.kind == ExprKind::kIndex || ChangedBy(part) != nullptr;
    });
  }

  bool IsWritten(const std::string& array) const {
    const Effects effects = EffectsOf({*window_.i});
    return effects.WrittenArrays().contains(array) ||
           (effects.opaque && !site_.kernel.IsInput(array));
  }

  void Guards(const Expr& condition) {
    for (const Expr& part : PartsOf(condition, "&&")) {
      const Expr guard = Expanded(part);
      if (!IsFixed(guard)) {
        Refuse("a guard depends on data");
      } else if (OfRow(guard)) {
        window_.row_guards.push_back(guard);
      } else if (OfColumn(guard)) {
        window_.column_guards.push_back(guard);
      } else {
        Refuse("a guard depends on row and column at once");
      }
    }
  }

  bool AddSum(const Expr& expr) {
    const auto fold = FoldOf(expr);
    if (fold.empty() || fold[0].op != "+" || expr.text == "-=" ||
        expr.args[0].kind != ExprKind::kName) {
      return false;
    }
    Window::Sum sum;
    sum.scalar = expr.args[0].text;
    for (const Stmt& stmt : window_.j->body) {
      if (stmt.kind == StmtKind::kDecl && stmt.name == sum.scalar) {
        sum.type = stmt.type;
      }
    }
    if (sum.type.empty()) return Refuse("what is summed into is not local");
    if (auto why = WhyNotFolded(site_, *window_.q, {{sum.scalar, "+"}});
        !why.empty()) {
      return Refuse(why);
    }
    sum.load = Number(1);
    for (const Expr& part : PartsOf(Expanded(fold[0].value), "*")) {
      if (IsWeight(part)) {
        if (!AddWeight(part, sum)) return false;
      } else if (part.kind == ExprKind::kIndex &&
                 part.args[0].kind == ExprKind::kName &&
                 !(OfRow(part) && OfColumn(part))) {
        if (sum.load.kind == ExprKind::kIndex) {
          return Refuse("a summand is a product of loads");
        }
        sum.load = part;
      } else if (!IsFixed(part)) {
        return Refuse("a summand is no plain product");
      } else if (OfRow(part)) {
        sum.row_factors.push_back(part);
      } else if (OfColumn(part)) {
        sum.column_factors.push_back(part);
      } else {
        return Refuse("a factor depends on row and column at once");
      }
    }
    if (sum.load.kind == ExprKind::kIndex && !Split(sum)) return false;
    window_.sums.push_back(std::move(sum));
    return true;
  }

  // Read from an array that stays as it is, at the same place for each pixel.
  bool IsWeight(const Expr& part) const {
    return part.kind == ExprKind::kIndex && !ArrayName(part).empty() &&
           !MentionsAny(part, {window_.i->name, window_.j->name}) &&
           !IsWritten(ArrayName(part));
  }

  bool AddWeight(const Expr& weight, Window::Sum& sum) {
    if (OfRow(weight)) {
      sum.row_factors.push_back(weight);
      return true;
    }
    if (OfColumn(weight)) {
      sum.column_factors.push_back(weight);
      return true;
    }
    const auto table = WeightsOf(weight);
    if (table.empty() || (sum.type != "float" && sum.type != "double")) {
      return Refuse("a weight depends on row and column at once");
    }
    const auto factors = RankOne(table);
    if (factors.rows.empty()) {
      return Refuse("the weights are no product of rows and columns");
    }
    const auto add = [&](const char* which, const Stmt& loop,
                         const std::vector<double>& values,
                         std::vector<Expr>& list) {
      const std::string name = site_.Fresh(ArrayName(weight) + which);
      Stmt decl = MakeArray("const " + sum.type, name,
                            {Number(static_cast<std::int64_t>(values.size()))});
      decl.init = Expr{ExprKind::kList, "{", {}};
      for (const double value : values) {
        decl.init->args.push_back(NumberOf(value, sum.type));
      }
      sum.tables.push_back(std::move(decl));
      list.push_back(Index(Name(name), Sub(Name(loop.name), *loop.init)));
    };
    add("_rows", *window_.p, factors.rows, sum.row_factors);
    add("_columns", *window_.q, factors.columns, sum.column_factors);
    return true;
  }

  // What is read for each p and q; empty unless these are plain numbers.
  std::vector<std::vector<double>> WeightsOf(const Expr& weight) const {
    const Stmt* decl = nullptr;
    VisitStmts(site_.kernel.body, [&](const Stmt& stmt) {
      if (stmt.kind == StmtKind::kDecl && stmt.name == ArrayName(weight) &&
          stmt.type.starts_with("const") && stmt.init) {
        decl = &stmt;
      }
    });
    const auto height = KnownTrips(*window_.p, site_.constants);
    const auto width = KnownTrips(*window_.q, site_.constants);
    const auto p = ValueOf(*window_.p->init, site_.constants);
    const auto q = ValueOf(*window_.q->init, site_.constants);
    if (decl == nullptr || !height || !width || !p || !q) return {};
    std::vector<std::vector<double>> table;
    for (std::int64_t row = 0; row < *height; ++row) {
      table.emplace_back();
      for (std::int64_t column = 0; column < *width; ++column) {
        Constants values = site_.constants;
        values[window_.p->name] = *p + row;
        values[window_.q->name] = *q + column;
        const Expr* element = &*decl->init;
        for (const Expr& subscript : Subscripts(weight)) {
          const auto at = ValueOf(subscript, values);
          if (element->kind != ExprKind::kList || !at || *at < 0 ||
              *at >= static_cast<std::int64_t>(element->args.size())) {
            return {};
          }
          element = &element->args[static_cast<std::size_t>(*at)];
        }
        const auto value = PlainNumber(*element);
        if (!value) return {};
        table.back().push_back(*value);
      }
    }
    return table;
  }

  static std::optional<double> PlainNumber(const Expr& expr) {
    if (const auto whole = IntegerValue(expr)) {
      return static_cast<double>(*whole);
    }
    if (expr.kind == ExprKind::kNumber) {
      std::string_view rest = expr.text;
      const auto value = TakeNumber<double>(rest);
      return rest.find_first_not_of("fF") == rest.npos ? value : std::nullopt;
    }
    if (expr.kind == ExprKind::kUnary && expr.text == "-") {
      const auto value = PlainNumber(expr.args[0]);
      return value ? std::optional(-*value) : std::nullopt;
    }
    if (expr.kind != ExprKind::kBinary || expr.text != "/") return std::nullopt;
    if (IntegerValue(expr.args[0]) && IntegerValue(expr.args[1])) {
      return std::nullopt;
    }
    const auto over = PlainNumber(expr.args[0]);
    const auto under = PlainNumber(expr.args[1]);
    return over && under && *under != 0 ? std::optional(*over / *under)
                                        : std::nullopt;
  }

  struct Factors {
    std::vector<double> rows, columns;
  };

  // Empty if the table is no product, to the precision of a float.
  static Factors RankOne(const std::vector<std::vector<double>>& table) {
    if (table.empty() || table[0].empty()) return {};
    std::size_t row = 0, column = 0;
    for (std::size_t r = 0; r < table.size(); ++r) {
      for (std::size_t c = 0; c < table[r].size(); ++c) {
        if (std::abs(table[r][c]) > std::abs(table[row][column])) {
          row = r;
          column = c;
        }
      }
    }
    const double most = table[row][column];
    Factors factors;
    for (const auto& line : table) factors.rows.push_back(line[column]);
    for (const double value : table[row]) {
      factors.columns.push_back(most == 0 ? 0 : value / most);
    }
    for (std::size_t r = 0; r < table.size(); ++r) {
      for (std::size_t c = 0; c < table[r].size(); ++c) {
        const double apart = table[r][c] - factors.rows[r] * factors.columns[c];
        if (std::abs(apart) > std::abs(most) * 0x1p-24) return {};
      }
    }
    return factors;
  }

  static Expr NumberOf(double value, const std::string& type) {
    std::string digits = Formatted("%#.17g", std::abs(value));
    while (digits.ends_with("0") && !digits.ends_with(".0") &&
           digits.find('e') == std::string::npos) {
      digits.pop_back();
    }
    Expr number = Literal(digits + (type == "float" ? "f" : ""));
    if (value < 0) return {ExprKind::kUnary, "-", {std::move(number)}};
    return number;
  }

  bool Split(Window::Sum& sum) {
    if (IsWritten(ArrayName(sum.load))) {
      return Refuse("the array is written here");
    }
    Poly row, column;
    const Poly whole = ToPoly(sum.load.args[1], known_);
    for (const auto& [monomial, coefficient] : whole.Terms()) {
      Poly term(coefficient);
      bool of_row = false, of_column = false;
      for (const std::string& factor : monomial) {
        if (factor.starts_with("`")) return Refuse("a subscript is no sum");
        term = term * Poly::Variable(factor);
        of_row |= factor == window_.i->name || factor == window_.p->name;
        of_column |= factor == window_.j->name || factor == window_.q->name;
      }
      if (of_row && of_column) return Refuse("a subscript is no sum");
      // Constants belong to the column: j + q - 1.
      if (of_column || (!of_row && monomial.empty())) {
        column = column + term;
      } else {
        row = row + term;
      }
    }
    sum.row = ToExpr(row);
    sum.column = ToExpr(column);
    return true;
  }

  const Site& site_;
  Definitions known_;
  Window window_;
};

Expr ProductOf(std::vector<Expr> factors) {
  Expr product = std::move(factors[0]);
  for (std::size_t i = 1; i < factors.size(); ++i) {
    product = Binary("*", std::move(product), std::move(factors[i]));
  }
  return product;
}

StmtList GuardedBy(const std::vector<Expr>& guards, StmtList body) {
  if (guards.empty() || body.empty()) return body;
  Expr all = guards[0];
  for (std::size_t i = 1; i < guards.size(); ++i) {
    all = Binary("&&", std::move(all), guards[i]);
  }
  return {MakeIf(std::move(all), std::move(body))};
}

class Separator {
 public:
  Separator(const Site& site, const Window& window)
      : site_(site), window_(window) {}

  // What stands in front of the rows, and the rows.  Or why not.
  tl::expected<StmtList, std::string> Run() {
    StmtList before, lines, row_sums, column_sums, behind;
    for (const Window::Sum& sum : window_.sums) {
      Append(before, sum.tables);
      if (sum.load.kind == ExprKind::kIndex) {
        if (!Load(sum, lines, row_sums, column_sums)) return NoReason(why_not_);
      } else {
        Count(sum, before, lines, row_sums, behind);
      }
    }
    Stmt rows = *window_.i;
    Stmt p = *window_.p;
    p.body = GuardedBy(window_.row_guards, std::move(row_sums));
    Stmt j = *window_.j;
    StmtList body;
    for (const Stmt& stmt : window_.j->body) {
      if (&stmt != window_.p) {
        body.push_back(stmt);
        continue;
      }
      if (!column_sums.empty()) {
        Stmt q = *window_.q;
        q.body = std::exchange(column_sums, {});
        body.push_back(std::move(q));
      }
      Append(body, std::exchange(behind, {}));
    }
    j.body = std::move(body);
    rows.body = std::move(lines);
    rows.body.push_back(std::move(p));
    rows.body.push_back(std::move(j));
    before.push_back(std::move(rows));
    return before;
  }

 private:
  bool Load(const Window::Sum& sum, StmtList& lines, StmtList& row_sums,
            StmtList& column_sums) {
    Definitions definitions = site_.definitions;
    for (const auto& [name, value] : site_.constants) {
      definitions.try_emplace(name, Number(value));
    }
    const Poly column = ToPoly(sum.column, definitions);
    const auto reach = RangeOf(column, {window_.j, window_.q}, definitions);
    if (!reach) return Refuse("how far the loads reach is not known");
    // Which columns may be read: all that are summed, or those inside.
    Poly first = reach->low;
    Poly end = reach->high + Poly(1);
    if (!window_.column_guards.empty()) {
      if (!Inside(column, definitions, end)) return false;
      first = Poly(0);
    }
    const std::string line = site_.Fresh(sum.scalar + "_line");
    const std::string at = site_.Fresh(sum.scalar + "_column");
    lines.push_back(MakeVector(sum.type, line,
                               {ToExpr(reach->high + Poly(1) - reach->low)}));
    const auto place = [&](const Poly& where) {
      return ToExpr(where - reach->low);
    };
    std::vector<Expr> factors = {
        Index(sum.load.args[0], Add(sum.row, Name(at)))};
    factors.insert(factors.end(), sum.row_factors.begin(),
                   sum.row_factors.end());
    row_sums.push_back(MakeFor(
        at, ToExpr(first), ToExpr(end), Number(1),
        {MakeExpr(Binary("+=", Index(Name(line), place(Poly::Variable(at))),
                         ProductOf(std::move(factors))))}));
    std::vector<Expr> rest = {Index(Name(line), place(column))};
    rest.insert(rest.end(), sum.column_factors.begin(),
                sum.column_factors.end());
    column_sums.push_back(
        MakeExpr(Binary("+=", Name(sum.scalar), ProductOf(std::move(rest)))));
    return true;
  }

  // The guards say 0 <= column < end and nothing else.
  bool Inside(const Poly& column, const Definitions& definitions, Poly& end) {
    bool low = false, high = false;
    for (const Expr& guard : window_.column_guards) {
      if (guard.kind != ExprKind::kBinary ||
          !(ToPoly(guard.args[0], definitions) == column)) {
        return Refuse("a guard is not of the column that is read");
      }
      if (guard.text == ">=" && IntegerValue(guard.args[1]) == 0) {
        low = true;
      } else if (guard.text == "<" && OfNoLoop(guard.args[1])) {
        high = true;
        end = ToPoly(guard.args[1], definitions);
      } else {
        return Refuse("a guard is not of the image's border");
      }
    }
    return (low && high) || Refuse("a guard is of one border only");
  }

  bool OfNoLoop(const Expr& e) const {
    return !MentionsAny(e, {window_.i->name, window_.j->name, window_.p->name,
                            window_.q->name});
  }

  // sum over rows times sum over columns, the latter once for all rows.
  void Count(const Window::Sum& sum, StmtList& before, StmtList& lines,
             StmtList& row_sums, StmtList& behind) {
    const std::string rows = site_.Fresh(sum.scalar + "_rows");
    const std::string columns = site_.Fresh(sum.scalar + "_columns");
    const auto one = [&](std::vector<Expr> factors) {
      return factors.empty() ? Number(1) : ProductOf(std::move(factors));
    };
    lines.push_back(MakeDecl(sum.type, rows, Number(0)));
    row_sums.push_back(
        MakeExpr(Binary("+=", Name(rows), one(sum.row_factors))));
    before.push_back(MakeVector(sum.type, columns, {window_.j->bound}));
    const Expr element = Index(Name(columns), Name(window_.j->name));
    Stmt q = *window_.q;
    q.body =
        GuardedBy(window_.column_guards,
                  {MakeExpr(Binary("+=", element, one(sum.column_factors)))});
    Stmt j = *window_.j;
    j.body = {std::move(q)};
    StmtList counting = {std::move(j)};
    Rename(counting, window_.j->name,
           site_.Fresh(window_.j->name + "_counted"));
    before.push_back(std::move(counting[0]));
    behind.push_back(MakeExpr(
        Binary("+=", Name(sum.scalar), Binary("*", Name(rows), element))));
  }

  bool Refuse(std::string why) {
    why_not_ = std::move(why);
    return false;
  }

  const Site& site_;
  const Window& window_;
  std::string why_not_;
};

// Puts `made` where the loop over `holder` around the loop over `p` is.
bool ReplaceHolder(StmtList& list, const std::string& holder,
                   const std::string& p, StmtList made) {
  for (auto at = list.begin(); at != list.end(); ++at) {
    if (FindLoop(at->body, p) == nullptr &&
        FindLoop(at->orelse, p) == nullptr) {
      continue;
    }
    if (at->kind != StmtKind::kFor || at->name != holder) {
      return ReplaceHolder(at->body, holder, p, made) ||
             ReplaceHolder(at->orelse, holder, p, made);
    }
    const auto next = list.erase(at);
    list.insert(next, made.begin(), made.end());
    return true;
  }
  return false;
}

}  // namespace

Outcome Separate(const Site& site, const Technique& technique) {
  Rewritten result{site.span, {}};
  const WindowMatcher matcher(site, technique.Arg(0));
  const Window& window = matcher.Found();
  if (!window.why_not.empty()) return NoReason(window.why_not);
  auto made = Separator(site, window).Run();
  if (!made) return NoReason(made.error());
  ReplaceHolder(result.span, window.i->name, technique.Arg(0),
                std::move(*made));
  return result;
}

}  // namespace coppice::agents::catalogue
