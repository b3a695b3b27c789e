// wavefront(i, j): a table in which each element follows from those above it
// and to its left, by anti-diagonals, whose elements do not wait for each
// other.
//
//   for i { for j { t[i * W + j] = f(t[(i - 1) * W + j], t[i * W + j - 1]); } }
// becomes, for d = i + j,
//   for d { simd for i { t[d * H + i] = f(t[(d - 1) * H + i - 1],
//                                         t[(d - 1) * H + i]); } }
// The table, a vector of the kernel's own, is laid out by diagonals wherever
// it is used, so that neighbours on one lie side by side.  It takes up to
// (W + H) / W times as much room.  See Lamport 1974, "The parallel execution
// of DO loops".
#include <algorithm>
#include <utility>

#include "agents/catalogue/effects.h"
#include "agents/catalogue/loop_catalogue.h"
#include "agents/catalogue/pragmas.h"
#include "agents/catalogue/range.h"

namespace coppice::agents::catalogue {
namespace {

// The loops over `rows` around nothing but one over `columns`.
Stmt* FindNest(StmtList& list, const std::string& rows,
               const std::string& columns) {
  for (Stmt& stmt : list) {
    if (stmt.kind == StmtKind::kFor && stmt.name == rows) {
      const Stmt* inner = PerfectlyNested(stmt);
      if (inner != nullptr && inner->name == columns) return &stmt;
    }
    for (StmtList* part : {&stmt.body, &stmt.orelse}) {
      if (Stmt* found = FindNest(*part, rows, columns)) return found;
    }
  }
  return nullptr;
}

// A place in the table.
struct Cell {
  Poly row, column;
};

class Table {
 public:
  Table(const Site& site, const Stmt& rows, const Stmt& columns)
      : site_(site), i_(rows), j_(columns), definitions_(site.definitions) {
    const Effects effects = EffectsOf({rows});
    const auto arrays = effects.WrittenArrays();
    for (const Stmt* loop : {&i_, &j_}) {
      if (!IsPlain(*loop)) Refuse("a loop has a step or a pragma");
    }
    const std::set<std::string> inside = DeclaredNames({rows});
    for (const std::string& scalar : effects.writes) {
      if (!inside.contains(scalar)) {
        Refuse("`" + scalar + "` carries a value on");
      }
    }
    if (effects.opaque || arrays.size() != 1 ||
        inside.contains(*arrays.begin())) {
      Refuse("it does more than fill a table");
    }
    for (const Stmt* loop : {&i_, &j_}) {
      if (MentionsAny(*loop->init, inside) ||
          MentionsAny(loop->bound, inside)) {
        Refuse("the table is no rectangle");
      }
    }
    if (!why_not_.empty()) return;
    array_ = *arrays.begin();
    Measure();
    if (why_not_.empty()) Follow();
  }

  const std::string& WhyNot() const { return why_not_; }

  // The whole body, with the table by diagonals.
  StmtList Run() const {
    const std::string d = site_.Fresh("diagonal");
    StmtList body = site_.kernel.body;
    VisitStmts(body, [&](Stmt& stmt) {
      if (stmt.kind == StmtKind::kDecl && stmt.name == array_) {
        stmt.init->args[0] = ToExpr((height_ + pitch_ - Poly(1)) * height_);
      }
    });
    std::size_t next = 0;  // As Measure has met them.
    RewriteParts(body, [&](Expr& e) {
      if (!IsElement(e)) return false;
      const Cell& cell = cells_[next++];
      e.args[1] = ToExpr((cell.row + cell.column) * height_ + cell.row);
      return true;
    });
    Stmt& rows = *FindNest(body, i_.name, j_.name);
    StmtList inner = PerfectlyNested(rows)->body;
    Substitute(inner, j_.name, Binary("-", Name(d), Name(i_.name)));
    RewriteParts(inner, [&](Expr& e) {
      if (IsElement(e)) e.args[1] = ToExpr(ToPoly(e.args[1], definitions_));
      return IsElement(e);
    });
    Stmt along = MakeFor(
        i_.name,
        Call("std::max<int64_t>",
             {*i_.init, Add(Binary("-", Name(d), j_.bound), Number(1))}),
        Call("std::min<int64_t>",
             {i_.bound, Add(Sub(Name(d), *j_.init), Number(1))}),
        Number(1), std::move(inner));
    along.pragmas = {"#pragma omp simd"};
    Stmt diagonals = MakeFor(d, Add(*i_.init, *j_.init),
                             Sub(Add(i_.bound, j_.bound), Number(1)), Number(1),
                             {std::move(along)});
    rows = std::move(diagonals);
    return body;
  }

 private:
  void Refuse(std::string why) {
    if (why_not_.empty()) why_not_ = std::move(why);
  }

  bool IsElement(const Expr& e) const {
    return e.kind == ExprKind::kIndex && IsName(e.args[0], array_);
  }

  // The table's size and pitch, and each element that the kernel uses.
  void Measure() {
    std::optional<Poly> size;
    for (const Stmt& stmt : site_.kernel.body) {
      const std::vector<Expr>* arguments = VectorArguments(stmt);
      if (arguments != nullptr && arguments->size() == 1 &&
          stmt.name == array_) {
        size = ToPoly(arguments->front(), definitions_);
      }
    }
    if (!size) return Refuse("the table is no vector of the kernel's own");
    VisitExprs(j_.body, [&](const Expr& whole) {
      if (IsAssignment(whole) && IsElement(whole.args[0])) {
        if (written_ && *written_ != whole.args[0].args[1]) {
          Refuse("it writes two elements at a time");
        }
        written_ = whole.args[0].args[1];
      }
    });
    const auto by_i = written_
                          ? SplitBy(ToPoly(*written_, definitions_), i_.name)
                          : std::nullopt;
    const auto by_j = by_i ? SplitBy(by_i->rest, j_.name) : std::nullopt;
    if (!by_j || by_j->slope.Constant() != 1 || by_i->slope.Mentions(j_.name)) {
      return Refuse("it does not fill a table by rows");
    }
    pitch_ = by_i->slope;
    for (const auto& [monomial, coefficient] : pitch_.Terms()) {
      if (!monomial.empty() && coefficient == 1) leading_ = monomial;
    }
    if (leading_.empty()) return Refuse("the length of its rows has no name");
    const Cell whole = Divided(*size);
    if (!whole.column.IsZero()) return Refuse("it is not made of whole rows");
    height_ = whole.row;
    std::vector<const Stmt*> loops;
    Visit(site_.kernel.body, loops);
  }

  // poly = row * pitch + column.
  Cell Divided(const Poly& poly) const {
    Cell cell;
    for (const auto& [monomial, coefficient] : poly.Terms()) {
      Monomial rest;
      if (!std::includes(monomial.begin(), monomial.end(), leading_.begin(),
                         leading_.end())) {
        continue;
      }
      std::set_difference(monomial.begin(), monomial.end(), leading_.begin(),
                          leading_.end(), std::back_inserter(rest));
      Poly term(coefficient);
      for (const std::string& name : rest) term = term * Poly::Variable(name);
      cell.row = cell.row + term;
    }
    cell.column = poly - cell.row * pitch_;
    // The last of a row is no place in front of the next.
    if (const auto column = cell.column.Constant(); column && *column < 0) {
      cell.row = cell.row - Poly(1);
      cell.column = cell.column + pitch_;
    }
    return cell;
  }

  // Every use of the table, in the order of VisitExprs.
  void Visit(const StmtList& list, std::vector<const Stmt*>& loops) {
    for (const Stmt& stmt : list) {
      Stmt head = stmt;
      head.body.clear();
      head.orelse.clear();
      if (stmt.name != array_) {
        VisitExprs({head}, [&](const Expr& whole) { Uses(whole, loops); });
      }
      if (stmt.kind == StmtKind::kRaw) Refuse("effects of code are unknown");
      if (stmt.kind == StmtKind::kFor) loops.push_back(&stmt);
      Visit(stmt.body, loops);
      Visit(stmt.orelse, loops);
      if (stmt.kind == StmtKind::kFor) loops.pop_back();
    }
  }

  void Uses(const Expr& expr, const std::vector<const Stmt*>& loops) {
    if (IsElement(expr)) {
      if (Mentions(expr.args[1], array_)) {
        return Refuse("the table is read at places that it tells");
      }
      const Cell cell = Divided(ToPoly(expr.args[1], definitions_));
      if (!IsInside(cell.row, height_, loops) ||
          !IsInside(cell.column, pitch_, loops)) {
        return Refuse("a place of the table is not known to be in its row");
      }
      cells_.push_back(cell);
      return;
    }
    if (IsName(expr, array_)) Refuse("the table is used as a whole");
    for (const Expr& arg : expr.args) Uses(arg, loops);
  }

  // Names are sizes, at least 1, and so are differences of loop variables and
  // their first values at least 0.
  bool IsInside(const Poly& place, const Poly& size,
                const std::vector<const Stmt*>& loops) const {
    const auto range = RangeOf(place, loops, definitions_);
    return range && IsNotNegative(range->low) &&
           IsNotNegative(size - Poly(1) - range->high);
  }

  // What is read must be on an earlier diagonal, and written before, but for
  // what the same element has been so far.
  void Follow() {
    const Cell here = Divided(ToPoly(*written_, definitions_));
    VisitParts(j_.body, [&](const Expr& e) {
      if (!IsElement(e) || e.args[1] == *written_) return;
      const Cell cell = Divided(ToPoly(e.args[1], definitions_));
      const auto up = (here.row - cell.row).Constant();
      const auto left = (here.column - cell.column).Constant();
      if (!up || !left || *up + *left < 1 || *up < 0 ||
          (*up == 0 && *left <= 0)) {
        Refuse("an element waits for one that is not on an earlier diagonal");
      }
    });
  }

  const Site& site_;
  const Stmt& i_;
  const Stmt& j_;
  Definitions definitions_;
  std::string array_, why_not_;
  std::optional<Expr> written_;  // Its subscript.
  Poly pitch_, height_;
  Monomial leading_;  // Of the pitch.
  std::vector<Cell> cells_;
};

}  // namespace

Outcome Wavefront(const Site& site, const Technique& technique) {
  // The table may be used anywhere.
  if (site.span.size() != site.kernel.body.size()) {
    return NoReason("it needs the whole body between the anchors");
  }
  StmtList body = site.kernel.body;
  const Stmt* rows = FindNest(body, technique.Arg(0), technique.Arg(1));
  if (rows == nullptr || ContainsLoop(PerfectlyNested(*rows)->body)) {
    return NoReason("there is no such nest of two loops");
  }
  const Table table(site, *rows, *PerfectlyNested(*rows));
  if (!table.WhyNot().empty()) return NoReason(table.WhyNot());
  return Rewritten{table.Run(), {}};
}

}  // namespace coppice::agents::catalogue
