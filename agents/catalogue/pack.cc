#include "agents/catalogue/pack.h"

#include <algorithm>
#include <utility>

#include "agents/catalogue/effects.h"
#include "agents/catalogue/jam.h"
#include "agents/catalogue/range.h"
#include "agents/catalogue/recipes.h"
#include "agents/catalogue/scratch.h"
#include "agents/catalogue/strides.h"

namespace coppice::agents::catalogue {
namespace {

// The loops of a nest that lead to its innermost one, outermost first.
std::vector<const Stmt*> Spine(const Stmt& nest) {
  std::vector<const Stmt*> spine;
  for (const Stmt* at = &nest; at != nullptr;) {
    spine.push_back(at);
    const Stmt* inner = nullptr;
    for (const Stmt& stmt : at->body) {
      if (stmt.kind == StmtKind::kFor && inner == nullptr) inner = &stmt;
    }
    at = inner;
  }
  return spine;
}

// Is the array read under a condition, and perhaps not there without?
bool IsGuarded(const StmtList& list, const std::string& array) {
  const bool by_statement = HasStmt(list, [&](const Stmt& stmt) {
    return stmt.kind == StmtKind::kIf &&
           (Mentions(stmt.body, array) || Mentions(stmt.orelse, array));
  });
  return by_statement || HasPart(list, [&](const Expr& e) {
           return Chooses(e) && std::any_of(e.args.begin() + 1, e.args.end(),
                                            [&](const Expr& arg) {
                                              return Mentions(arg, array);
                                            });
         });
}

class Packer {
 public:
  Packer(const Site& site, const Stmt& nest, std::string array,
         std::string unit_loop)
      : site_(site),
        spine_(Spine(nest)),
        array_(std::move(array)),
        unit_loop_(std::move(unit_loop)),
        packed_(site.Fresh(array_ + "_packed")),
        type_(site.kernel.ElementOf(array_)) {}

  // Empty if the array's subscripts are not those of whole loops.
  StmtList Run(StmtList span) {
    if (type_.empty() || !FindSubscript() || !FindDimensions()) return {};
    RewriteParts(span, [&](Expr& e) {
      if (e.kind != ExprKind::kIndex || ArrayName(e) != array_) return false;
      e = Index(Name(packed_), Position());
      return true;
    });
    InsertBeforeNest(span, Copy(), packed_);
    return span;
  }

 private:
  // All loads of the array in the nest must be one and the same.
  bool FindSubscript() {
    const Effects effects = EffectsOf({*spine_.front()});
    bool same = Aliases(spine_.front()->body).empty() &&
                !IsGuarded(spine_.front()->body, array_) &&
                (!effects.opaque || site_.kernel.IsInput(array_));
    int loads = 0;
    for (const ArrayAccess& access : effects.accesses) {
      if (access.array != array_) continue;
      same &= !access.write && access.subscripts.size() == 1 &&
              (loads == 0 || access.subscripts[0] == subscript_);
      subscript_ = access.subscripts[0];
      ++loads;
    }
    return same && loads > 0;
  }

  bool FindDimensions() {
    const Poly poly = ToPoly(subscript_, site_.definitions);
    for (std::size_t i = 0; i < spine_.size(); ++i) {
      if (!poly.Mentions(spine_[i]->name)) continue;
      if (!SplitBy(poly, spine_[i]->name)) return false;
      // A row that ends earlier the later it is leaves a corner unread, which
      // the copy would read.
      for (const Stmt* around : spine_) {
        if (!Mentions(spine_[i]->bound, around->name)) continue;
        const auto end =
            SplitBy(ToPoly(spine_[i]->bound, site_.definitions), around->name);
        const auto slope = end ? end->slope.Constant() : std::nullopt;
        if (!slope || *slope < 0) return false;
      }
      const auto range =
          RangeOf(Poly::Variable(spine_[i]->name),
                  {spine_.begin(), spine_.begin() + static_cast<long>(i) + 1},
                  site_.definitions);
      if (!range || !range->low.IsZero() ||
          IntegerValue(spine_[i]->step) != 1) {
        return false;
      }
      dims_.push_back({spine_[i]->name, ToExpr(range->high + Poly(1))});
    }
    const auto unit = std::find_if(
        dims_.begin(), dims_.end(),
        [&](const Dimension& dim) { return dim.variable == unit_loop_; });
    if (unit == dims_.end() || dims_.size() < 2 ||
        dims_.size() >= spine_.size()) {
      return false;
    }
    std::rotate(unit, unit + 1, dims_.end());
    return true;
  }

  Expr Position() const {
    Expr position = Name(dims_[0].variable);
    for (std::size_t d = 1; d < dims_.size(); ++d) {
      position = Add(Mul(position, dims_[d].size), Name(dims_[d].variable));
    }
    return position;
  }

  StmtList Copy() const {
    Expr size = dims_[0].size;
    for (std::size_t d = 1; d < dims_.size(); ++d) {
      size = Mul(size, dims_[d].size);
    }
    // The unit loop outside: jammed, it reads and writes whole lines.
    StmtList body = {MakeExpr(Binary("=", Index(Name(packed_), Position()),
                                     Index(Name(array_), subscript_)))};
    for (std::size_t d = dims_.size() - 1; d-- > 0;) {
      body = {MakeFor(dims_[d].variable, Number(0), dims_[d].size, Number(1),
                      std::move(body))};
    }
    Site copy = site_;
    copy.span = {MakeFor(unit_loop_, Number(0), dims_.back().size, Number(1),
                         std::move(body))};
    for (const Dimension& dim : dims_) {  // Not to be taken for the nest's.
      Rename(copy.span, dim.variable, site_.Fresh(dim.variable + "_from"));
    }
    auto jammed =
        Jam(copy, copy.span[0], {"jam", {copy.span[0].name, "16", "overlap"}});
    StmtList loops = jammed ? std::move(jammed->span) : copy.span;
    StmtList list = Declared({packed_, type_, std::move(size)}, 1,
                             site_.Fresh(array_ + "_pack_buffer"));
    Append(list, std::move(loops));
    return list;
  }

  struct Dimension {
    std::string variable;
    Expr size;
  };

  const Site& site_;
  std::vector<const Stmt*> spine_;
  std::string array_;
  std::string unit_loop_;
  std::string packed_;
  std::string type_;  // Of an element.
  Expr subscript_;
  std::vector<Dimension> dims_;  // Of the copy, outermost first.
};

}  // namespace

Packable FindPackable(const Stmt& nest, const Definitions& definitions) {
  const DotLoops dot = FindDotLoops(nest, definitions);
  if (dot.fold.empty()) return {};
  const Stmt* columns = FindLoop(nest.body, dot.columns);
  if (columns == nullptr) return {};
  for (const ArrayAccess& access : EffectsOf(columns->body).accesses) {
    if (!access.write && access.subscripts.size() == 1 &&
        StrideOf(access, dot.columns, definitions) == Stride::kOther &&
        StrideOf(access, dot.rows, definitions) == Stride::kNone) {
      return {access.array, dot.columns};
    }
  }
  return {};
}

Outcome Pack(const Site& site, const Technique& technique) {
  const std::string array = technique.Arg(0);
  const std::string loop = technique.Arg(1);
  const Stmt* nest = nullptr;
  for (const Stmt& stmt : site.span) {
    if (stmt.kind == StmtKind::kFor && Mentions({stmt}, array)) {
      if (nest != nullptr) return NoReason("several nests read the array");
      nest = &stmt;
    }
  }
  if (nest == nullptr || FindLoop({*nest}, loop) == nullptr) {
    return NoReason("there is no such array and loop here");
  }
  StmtList span = Packer(site, *nest, array, loop).Run(site.span);
  if (span.empty()) {
    return NoReason("its subscripts do not run over whole loops");
  }
  return Rewritten{std::move(span), {}};
}

}  // namespace coppice::agents::catalogue
