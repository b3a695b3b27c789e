#include "agents/catalogue/strides.h"

#include "agents/catalogue/dependence.h"

namespace coppice::agents::catalogue {
namespace {

// Vectors of `columns` that every iteration of `rows` loads alike.
int SharedVectors(const Stmt& rows, const Stmt& columns,
                  const Definitions& definitions) {
  int shared = 0;
  for (const ArrayAccess& access : EffectsOf(columns.body).accesses) {
    if (!access.write &&
        StrideOf(access, columns.name, definitions) == Stride::kUnit &&
        StrideOf(access, rows.name, definitions) == Stride::kNone) {
      ++shared;
    }
  }
  return shared;
}

bool IsColumnLoop(const Stmt& loop, const Definitions& definitions) {
  if (!ContainsLoop(loop.body) || HoldsStrips(loop.body) ||
      IntegerValue(loop.step) != 1) {
    return false;
  }
  const Strides strides = StridesOf(loop, definitions);
  return strides.unit >= 2 && strides.other == 0 &&
         TestIndependence(loop, definitions).Fully();
}

bool Search(const Stmt& loop, std::vector<const Stmt*>& path,
            const Definitions& definitions) {
  path.push_back(&loop);
  if (IsColumnLoop(loop, definitions)) return true;
  for (const Stmt& stmt : loop.body) {
    if (stmt.kind == StmtKind::kFor && Search(stmt, path, definitions)) {
      return true;
    }
  }
  path.pop_back();
  return false;
}

}  // namespace

bool HoldsStrips(const StmtList& list) { return HasStmt(list, IsStrip); }

Stride StrideOf(const ArrayAccess& access, const std::string& variable,
                const Definitions& definitions) {
  const auto split =
      SplitBy(ToPoly(access.subscripts.back(), definitions), variable);
  if (!split) return Stride::kOther;
  if (split->slope.IsZero()) return Stride::kNone;
  return split->slope.Constant() == 1 ? Stride::kUnit : Stride::kOther;
}

Strides StridesOf(const Stmt& loop, const Definitions& definitions) {
  const Definitions visible = WithThoseIn(loop.body, definitions);
  const std::set<std::string> local = DeclaredNames(loop.body);
  Strides strides;
  for (const ArrayAccess& access : EffectsOf(loop.body).accesses) {
    if (local.contains(access.array)) continue;
    switch (StrideOf(access, loop.name, visible)) {
      case Stride::kNone:
        ++strides.none;
        break;
      case Stride::kUnit:
        ++strides.unit;
        break;
      case Stride::kOther:
        ++strides.other;
        break;
    }
  }
  return strides;
}

std::optional<BlockLoops> FindBlockLoops(const Stmt& nest,
                                         const Definitions& definitions) {
  const Definitions visible = WithThoseIn({nest}, definitions);
  std::vector<const Stmt*> path;
  if (!Search(nest, path, visible)) return std::nullopt;
  BlockLoops loops;
  loops.columns = path.back();
  path.pop_back();
  int best = -1;
  for (const Stmt* loop : path) {
    if (IntegerValue(loop->step) != 1 ||
        !TestIndependence(*loop, visible).Fully()) {
      continue;
    }
    const int shared = SharedVectors(*loop, *loops.columns, visible);
    if (shared >= best) {
      best = shared;
      loops.rows = loop;
    }
  }
  return loops;
}

}  // namespace coppice::agents::catalogue
