#include "agents/catalogue/pad.h"

#include <algorithm>
#include <utility>

#include "agents/catalogue/dependence.h"
#include "agents/catalogue/effects.h"
#include "agents/catalogue/pragmas.h"
#include "agents/catalogue/range.h"
#include "agents/catalogue/scratch.h"

namespace coppice::agents::catalogue {
namespace {

// (planes * rows + row) * columns + column
struct Planar {
  Expr plane, rows, row, columns, column;
};

std::optional<Planar> MatchPlanar(const Expr& subscript) {
  const auto is = [](const Expr& e, const char* op) {
    return e.kind == ExprKind::kBinary && e.text == op;
  };
  if (!is(subscript, "+") || !is(subscript.args[0], "*")) return std::nullopt;
  const Expr& in_rows = subscript.args[0].args[0];
  if (!is(in_rows, "+") || !is(in_rows.args[0], "*")) return std::nullopt;
  return Planar{in_rows.args[0].args[0], in_rows.args[0].args[1],
                in_rows.args[1], subscript.args[0].args[1], subscript.args[1]};
}

// What the guarded fold reads, if its guard is that of the array's borders.
struct Guarded {
  std::string array;
  Planar planar;
  std::string op;  // Of the fold; the border holds its neutral value.
};

// Does the value leave a fold as it is where the load gives the border's? A
// sum's 0 must be a factor, and an extreme's infinity keep its sign.
bool IsNeutralIn(const Expr& value, const Expr& load, const std::string& op) {
  if (value == load) return true;
  const auto within = [&](const Expr& part) {
    return HasPart(part, [&](const Expr& e) { return e == load; });
  };
  if (value.kind == ExprKind::kBinary) {
    const Expr& left = value.args[0];
    const Expr& right = value.args[1];
    if (op == "+" && value.text == "*") {
      return IsNeutralIn(left, load, op) || IsNeutralIn(right, load, op);
    }
    if (op == "+" && value.text == "/") return IsNeutralIn(left, load, op);
    if (op == "+" && (value.text == "+" || value.text == "-")) {
      return IsNeutralIn(left, load, op) && IsNeutralIn(right, load, op);
    }
    if (value.text == "+" && !within(right)) {
      return IsNeutralIn(left, load, op);
    }
    if (value.text == "+" && !within(left)) {
      return IsNeutralIn(right, load, op);
    }
    return value.text == "-" && !within(right) && IsNeutralIn(left, load, op);
  }
  if (value.kind == ExprKind::kUnary && value.text == "-" && op == "+") {
    return IsNeutralIn(value.args[0], load, op);
  }
  const std::string called = CalledFunction(value);
  return (called == "static_cast<float>" || called == "static_cast<double>") &&
         IsNeutralIn(value.args[1], load, op);
}

// Another load by the guarded row or column would go on unguarded.
bool ReadsOthersThere(const Expr& value, const Expr& load,
                      const Planar& planar) {
  return HasPart(value, [&](const Expr& e) {
    if (e.kind != ExprKind::kIndex || ArrayName(e) == ArrayName(load)) {
      return false;
    }
    return HasPart(e, [&](const Expr& part) {
      return part == planar.row || part == planar.column;
    });
  });
}

std::optional<Guarded> MatchGuard(const Stmt& stmt) {
  if (stmt.kind != StmtKind::kIf || !stmt.orelse.empty() ||
      stmt.body.size() != 1 || stmt.body[0].kind != StmtKind::kExpr) {
    return std::nullopt;
  }
  const auto fold = FoldOf(stmt.body[0].expr);
  if (fold.empty() || fold[0].op == "*") return std::nullopt;
  std::optional<Guarded> found;
  Visit(fold[0].value, [&](const Expr& e) {
    if (found || e.kind != ExprKind::kIndex ||
        e.args[0].kind != ExprKind::kName) {
      return;
    }
    const auto planar = MatchPlanar(e.args[1]);
    if (!planar) return;
    const std::vector<Expr> parts = PartsOf(stmt.expr, "&&");
    const std::vector<Expr> wanted = {
        Binary(">=", planar->row, Number(0)),
        Binary("<", planar->row, planar->rows),
        Binary(">=", planar->column, Number(0)),
        Binary("<", planar->column, planar->columns)};
    const bool all =
        parts.size() == wanted.size() &&
        std::is_permutation(parts.begin(), parts.end(), wanted.begin());
    if (all && IsNeutralIn(fold[0].value, e, fold[0].op) &&
        !ReadsOthersThere(fold[0].value, e, *planar)) {
      found = Guarded{e.args[0].text, *planar, fold[0].op};
    }
  });
  return found;
}

void LoopsAround(const StmtList& list, const std::string& array,
                 std::vector<const Stmt*>& path,
                 std::vector<const Stmt*>& found,
                 std::optional<Guarded>& guarded) {
  for (const Stmt& stmt : list) {
    if (auto match = MatchGuard(stmt); match && !guarded) {
      if (array.empty() || match->array == array) {
        guarded = std::move(match);
        found = path;
        return;
      }
    }
    if (stmt.kind == StmtKind::kFor) path.push_back(&stmt);
    LoopsAround(stmt.body, array, path, found, guarded);
    LoopsAround(stmt.orelse, array, path, found, guarded);
    if (stmt.kind == StmtKind::kFor) path.pop_back();
  }
}

class Padder {
 public:
  Padder(const Site& site, Guarded guarded,
         const std::vector<const Stmt*>& loops)
      : site_(site), guarded_(std::move(guarded)) {
    definitions_ = WithThoseIn(site.span, site.definitions);
    // Known sizes, so that "i + S - 2" is a number of rows past the end.
    for (const auto& [name, value] : site.constants) {
      definitions_.try_emplace(name, Number(value));
    }
    rows_ =
        RangeOf(ToPoly(guarded_.planar.row, definitions_), loops, definitions_);
    columns_ = RangeOf(ToPoly(guarded_.planar.column, definitions_), loops,
                       definitions_);
    planes_ = RangeOf(ToPoly(guarded_.planar.plane, definitions_), loops,
                      definitions_);
    padded_ = site.Fresh(guarded_.array + "_padded");
  }

  std::optional<StmtList> Run(StmtList span) {
    if (!rows_ || !columns_ || !planes_) return std::nullopt;
    const auto above = Excess(Poly(0) - rows_->low);
    const auto below =
        Excess(rows_->high - SizeOf(guarded_.planar.rows) + Poly(1));
    const auto left = Excess(Poly(0) - columns_->low);
    const auto right =
        Excess(columns_->high - SizeOf(guarded_.planar.columns) + Poly(1));
    if (!above || !below || !left || !right) return std::nullopt;
    above_ = *above;
    left_ = *left;
    row_pitch_ = Add(guarded_.planar.columns, Number(*left + *right));
    plane_rows_ = Add(guarded_.planar.rows, Number(*above + *below));
    Redirect(span);
    InsertBeforeNest(span, Copy(), padded_);
    return span;
  }

 private:
  Poly SizeOf(const Expr& size) const { return ToPoly(size, definitions_); }

  // A small known number of rows or columns past an edge.
  static std::optional<std::int64_t> Excess(const Poly& poly) {
    const auto value = poly.Constant();
    if (!value || *value > 64) return std::nullopt;
    return std::max<std::int64_t>(0, *value);
  }

  // `plane` counts from the first that the span reads.
  Expr PaddedAt(const Expr& plane, const Expr& row, const Expr& column) const {
    const Expr in_plane = Add(row, Number(above_));
    const Expr line = Add(Mul(plane, plane_rows_), in_plane);
    return Index(Name(padded_),
                 Add(Mul(line, row_pitch_), Add(column, Number(left_))));
  }

  Expr FromFirst(const Expr& plane) const {
    return ToExpr(ToPoly(plane, definitions_) - planes_->low);
  }

  // The buffer, kept between calls, and the copy into its middle.
  StmtList Copy() const {
    const std::string buffer = site_.Fresh(guarded_.array + "_buffer");
    const Expr planes = ToExpr(planes_->high - planes_->low + Poly(1));
    const Expr size = Mul(Mul(planes, plane_rows_), row_pitch_);
    const auto fresh = [&](const char* name) { return site_.Fresh(name); };
    const std::string p = fresh("plane"), r = fresh("line"), c = fresh("at");
    const Planar& from = guarded_.planar;
    const Expr source =
        Index(Name(guarded_.array),
              Add(Mul(Add(Mul(Add(ToExpr(planes_->low), Name(p)), from.rows),
                          Name(r)),
                      from.columns),
                  Name(c)));
    Stmt copy = MakeFor(
        c, Number(0), from.columns, Number(1),
        {MakeExpr(Binary("=", PaddedAt(Name(p), Name(r), Name(c)), source))});
    copy.pragmas = {"#pragma omp simd"};
    Stmt rows = MakeFor(r, Number(0), from.rows, Number(1), {copy});
    return {MakeBuffer("float", buffer),
            MakeExpr(CallMethod(buffer, "assign",
                                {size, NeutralValue(guarded_.op, "float")})),
            MakeDecl("float*", padded_, CallMethod(buffer, "data")),
            MakeFor(p, Number(0), planes, Number(1), {std::move(rows)})};
  }

  // Guards go, and their loads read the copy.
  void Redirect(StmtList& list) const {
    for (Stmt& stmt : list) {
      const auto guard = MatchGuard(stmt);
      if (guard && guard->array == guarded_.array && guard->op == guarded_.op &&
          guard->planar.rows == guarded_.planar.rows) {
        Expr fold = stmt.body[0].expr;
        Rewrite(fold, [&](Expr& e) {
          if (e.kind != ExprKind::kIndex || ArrayName(e) != guarded_.array) {
            return false;
          }
          if (const auto at = MatchPlanar(e.args[1])) {
            e = PaddedAt(FromFirst(at->plane), at->row, at->column);
          }
          return true;
        });
        stmt = MakeExpr(std::move(fold));
      } else {
        Redirect(stmt.body);
        Redirect(stmt.orelse);
      }
    }
  }

  const Site& site_;
  Guarded guarded_;
  Definitions definitions_;
  std::optional<Range> rows_, columns_, planes_;
  std::string padded_;
  std::int64_t above_ = 0;
  std::int64_t left_ = 0;
  Expr row_pitch_, plane_rows_;
};

}  // namespace

std::string Paddable(const StmtList& list) {
  std::vector<const Stmt*> path;
  std::vector<const Stmt*> loops;
  std::optional<Guarded> guarded;
  LoopsAround(list, "", path, loops, guarded);
  return guarded ? guarded->array : "";
}

Outcome Pad(const Site& site, const Technique& technique) {
  std::vector<const Stmt*> path;
  std::vector<const Stmt*> loops;
  std::optional<Guarded> guarded;
  LoopsAround(site.span, technique.Arg(0), path, loops, guarded);
  if (!guarded) return NoReason("no load is guarded by the array's borders");
  const Effects effects = EffectsOf(site.span);
  if (effects.WrittenArrays().contains(guarded->array) ||
      (effects.opaque && !site.kernel.IsInput(guarded->array))) {
    return NoReason("the array is written here");
  }
  if (site.kernel.ElementOf(guarded->array) != "float") {
    return NoReason("the array holds no floats");
  }
  // Go inside while each iteration reads planes of its own: a small copy,
  // made again and again, stays in the cache.
  Rewritten result{site.span, {}};
  StmtList* home = &result.span;
  const Poly plane = ToPoly(guarded->planar.plane, site.definitions);
  std::size_t depth = 0;
  while (depth + 2 < loops.size() && plane.Mentions(loops[depth]->name) &&
         PerfectlyNested(*loops[depth]) != nullptr) {
    home = &FindLoop(*home, loops[depth]->name)->body;
    ++depth;
  }
  loops.erase(loops.begin(), loops.begin() + static_cast<long>(depth));
  auto made = Padder(site, std::move(*guarded), loops).Run(*home);
  if (!made) return NoReason("how far the loads reach is not known");
  *home = std::move(*made);
  return result;
}

}  // namespace coppice::agents::catalogue
