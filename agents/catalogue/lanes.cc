#include "agents/catalogue/lanes.h"

#include <algorithm>
#include <utility>

#include "agents/catalogue/dependence.h"
#include "agents/catalogue/effects.h"
#include "agents/catalogue/jam.h"
#include "agents/catalogue/range.h"
#include "agents/catalogue/scratch.h"
#include "agents/catalogue/strides.h"
#include "agents/catalogue/strip.h"
#include "agents/catalogue/unroll.h"

namespace coppice::agents::catalogue {
namespace {

// The loop with its scratch declared in its body, for tests of dependence.
Stmt Declaring(const Stmt& loop, const std::vector<Scratch>& scratch) {
  Stmt whole = loop;
  for (const Scratch& one : scratch) {
    whole.body.insert(whole.body.begin(),
                      MakeArray(one.element, one.array, {one.size}));
  }
  return whole;
}

// Vectors that the body declares become scratch, cleared where they stood.
std::vector<Scratch> OutOfBody(Stmt& loop, const Site& site) {
  std::vector<Scratch> found;
  StmtList body;
  for (Stmt& stmt : loop.body) {
    const std::vector<Expr>* args = VectorArguments(stmt);
    if (args == nullptr) {
      body.push_back(std::move(stmt));
      continue;
    }
    const std::string at = site.Fresh(stmt.name + "_at");
    body.push_back(MakeFor(
        at, Number(0), args->front(), Number(1),
        {MakeExpr(Binary("=", Index(Name(stmt.name), Name(at)),
                         args->size() > 1 ? args->at(1) : Number(0)))}));
    found.push_back({stmt.name, VectorElement(stmt), args->front()});
  }
  loop.body = std::move(body);
  return found;
}

constexpr std::int64_t kTile = 16;

// 16 rows of memory into lanes that lie side by side, and back.
constexpr std::string_view kTransposes =
    R"(typedef int TileRow16 __attribute__((vector_size(64)));

template <int S>
static inline void SwapBlocks16(TileRow16 (&v)[16]) {
  constexpr auto at = [](int j, bool high) {
    if (high) return (j & S) != 0 ? 16 + j : j + S;
    return (j & S) != 0 ? 16 + j - S : j;
  };
#define COPPICE_ROW(h)                                                   \
  {at(0, h),  at(1, h),  at(2, h),  at(3, h), at(4, h),  at(5, h),       \
   at(6, h),  at(7, h),  at(8, h),  at(9, h), at(10, h), at(11, h),      \
   at(12, h), at(13, h), at(14, h), at(15, h)}
  constexpr TileRow16 low = COPPICE_ROW(false);
  constexpr TileRow16 high = COPPICE_ROW(true);
#undef COPPICE_ROW
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) {
    if ((i & S) != 0) continue;
    const TileRow16 a = v[i], b = v[i + S];
    v[i] = __builtin_shuffle(a, b, low);
    v[i + S] = __builtin_shuffle(a, b, high);
  }
}

template <class T>
static inline void TransposeTile16(T (&tile)[16][16]) {
  if constexpr (sizeof(T) == 4) {
    TileRow16 v[16];
    __builtin_memcpy(v, tile, sizeof v);
    SwapBlocks16<1>(v);
    SwapBlocks16<2>(v);
    SwapBlocks16<4>(v);
    SwapBlocks16<8>(v);
    __builtin_memcpy(tile, v, sizeof v);
  } else {
    for (int i = 0; i < 16; ++i) {
      for (int j = 0; j < i; ++j) {
        const T kept = tile[i][j];
        tile[i][j] = tile[j][i];
        tile[j][i] = kept;
      }
    }
  }
}

template <class T>
static inline void RowsToLanes16(const T* rows, int64_t stride, int64_t length,
                                 T* lanes) {
  T tile[16][16];
  int64_t k = 0;
  for (; k + 16 <= length; k += 16) {
    for (int l = 0; l < 16; ++l) {
      __builtin_memcpy(tile[l], rows + l * stride + k, sizeof tile[l]);
    }
    TransposeTile16(tile);
    __builtin_memcpy(lanes + k * 16, tile, sizeof tile);
  }
  for (; k < length; ++k) {
    for (int l = 0; l < 16; ++l) lanes[k * 16 + l] = rows[l * stride + k];
  }
}

template <class T>
static inline void LanesToRows16(const T* lanes, int64_t stride, int64_t length,
                                 T* rows) {
  T tile[16][16];
  int64_t k = 0;
  for (; k + 16 <= length; k += 16) {
    __builtin_memcpy(tile, lanes + k * 16, sizeof tile);
    TransposeTile16(tile);
    for (int l = 0; l < 16; ++l) {
      __builtin_memcpy(rows + l * stride + k, tile[l], sizeof tile[l]);
    }
  }
  for (; k < length; ++k) {
    for (int l = 0; l < 16; ++l) rows[l * stride + k] = lanes[k * 16 + l];
  }
}
)";

// A buffer for a row, and how it is filled and written back.
struct StagedRow {
  Scratch buffer;
  Expr start;  // array + v * stride
  Expr stride;
  bool written = false;
  bool whole = false;  // Each element is written, and none read before.
};

// Rows of arrays, one for each iteration of the loop, and how they are used.
class Stager {
 public:
  Stager(const Site& site, Stmt& loop)
      : site_(site),
        loop_(loop),
        definitions_(WithThoseIn(loop.body, site.definitions)) {}

  // Has the loop use buffers instead of rows.
  std::vector<StagedRow> Run(bool all) {
    std::vector<StagedRow> made;
    if (!Aliases(loop_.body).empty()) return made;
    const std::set<std::string> local = DeclaredNames(loop_.body);
    const Effects effects = EffectsOf(loop_.body);
    std::set<std::string> arrays;
    for (const ArrayAccess& access : effects.accesses)
      arrays.insert(access.array);
    for (const std::string& array : arrays) {
      if (local.contains(array) || site_.kernel.FindParam(array) == nullptr) {
        continue;
      }
      if (const auto stride = RowOf(array, effects)) {
        const bool read = effects.ReadArrays().contains(array);
        const bool written = effects.WrittenArrays().contains(array);
        if (all || (read && written) || IsReused(loop_.body, array, {})) {
          made.push_back(Stage(array, *stride, read, written));
        }
      }
    }
    return made;
  }

 private:
  // The common distance of two iterations' elements, if they are rows.
  std::optional<Poly> RowOf(const std::string& array, const Effects& effects) {
    std::optional<Poly> stride;
    for (const ArrayAccess& access : effects.accesses) {
      if (access.array != array) continue;
      if (access.subscripts.size() != 1) return std::nullopt;
      const auto split =
          SplitBy(ToPoly(access.subscripts[0], definitions_), loop_.name);
      if (!split || !HasPlainNames(split->slope) ||
          !HasPlainNames(split->rest) || split->slope.IsZero() ||
          split->slope.Constant() == 1 ||
          (stride && !(*stride == split->slope))) {
        return std::nullopt;
      }
      stride = split->slope;
    }
    std::vector<const Stmt*> loops;
    if (stride && !StaysInRow(loop_.body, array, *stride, loops)) {
      return std::nullopt;
    }
    return stride;
  }

  // Is every element of it that the list uses, with these loops around it, one
  // of the iteration's own row?
  bool StaysInRow(const StmtList& list, const std::string& array,
                  const Poly& stride, std::vector<const Stmt*>& loops) const {
    bool stays = true;
    for (const Stmt& stmt : list) {
      VisitOwnExprs(stmt, [&](const Expr& whole) {
        Visit(whole, [&](const Expr& e) {
          if (e.kind != ExprKind::kIndex || ArrayName(e) != array) return;
          const auto split =
              SplitBy(ToPoly(e.args[1], definitions_), loop_.name);
          const auto range =
              split ? RangeOf(split->rest, loops, definitions_) : std::nullopt;
          stays = stays && range && IsNotNegative(range->low) &&
                  IsNotNegative(stride - Poly(1) - range->high);
        });
      });
      if (stmt.kind == StmtKind::kFor) loops.push_back(&stmt);
      stays = stays && StaysInRow(stmt.body, array, stride, loops) &&
              StaysInRow(stmt.orelse, array, stride, loops);
      if (stmt.kind == StmtKind::kFor) loops.pop_back();
    }
    return stays;
  }

  // Read by a loop that does not move along it.
  bool IsReused(const StmtList& list, const std::string& array,
                std::vector<std::string> around) const {
    bool reused = false;
    const auto look = [&](const Expr& whole) {
      Visit(whole, [&](const Expr& e) {
        if (e.kind != ExprKind::kIndex || ArrayName(e) != array) return;
        const Poly at = ToPoly(e.args[1], definitions_);
        for (const std::string& loop : around) reused |= !at.Mentions(loop);
      });
    };
    for (const Stmt& stmt : list) {
      Stmt own = stmt;
      own.body.clear();
      own.orelse.clear();
      VisitExprs(StmtList{own}, look);
      std::vector<std::string> inner = around;
      if (stmt.kind == StmtKind::kFor) inner.push_back(stmt.name);
      reused |= IsReused(stmt.body, array, inner) ||
                IsReused(stmt.orelse, array, inner);
    }
    return reused;
  }

  StagedRow Stage(const std::string& array, const Poly& stride, bool read,
                  bool written) {
    const std::string buffer = site_.Fresh(array + "_row");
    RewriteParts(loop_.body, [&](Expr& e) {
      if (e.kind != ExprKind::kIndex || ArrayName(e) != array) return false;
      const auto split = SplitBy(ToPoly(e.args[1], definitions_), loop_.name);
      e = Index(Name(buffer), ToExpr(split->rest));
      return true;
    });
    const Expr size = ToExpr(stride);
    return {{buffer, site_.kernel.ElementOf(array), size},
            Binary("+", Name(array), Mul(Name(loop_.name), size)),
            size,
            written,
            !read && IsFilled(loop_.body, buffer, size)};
  }

  // Does a loop on top of the list write elements 0 to size?
  static bool IsFilled(const StmtList& list, const std::string& buffer,
                       const Expr& size) {
    return std::any_of(list.begin(), list.end(), [&](const Stmt& loop) {
      if (loop.kind != StmtKind::kFor || !CountsFromZero(loop) ||
          loop.bound != size) {
        return false;
      }
      const Expr element = Index(Name(buffer), Name(loop.name));
      return std::any_of(
          loop.body.begin(), loop.body.end(), [&](const Stmt& stmt) {
            return stmt.kind == StmtKind::kExpr && stmt.expr.text == "=" &&
                   stmt.expr.args[0] == element;
          });
    });
  }

  const Site& site_;
  Stmt& loop_;
  Definitions definitions_;
};

std::string WhyNot(const Stmt& loop, const Site& site,
                   const std::vector<Scratch>& scratch) {
  if (IsStrip(loop) || HoldsStrips(loop.body)) return "the nest holds strips";
  if (IntegerValue(loop.step) != 1) return "its step is not 1";
  const Independence test =
      TestIndependence(Declaring(loop, scratch), site.definitions);
  if (!test.holds) return test.why_not;
  if (!test.reductions.empty()) {
    return "the loop folds into `" + test.reductions[0].scalar + "`";
  }
  return "";
}

bool IsBold(const Technique& technique) {
  return std::find(technique.args.begin(), technique.args.end(), "bold") !=
         technique.args.end();
}

// Fills the rows in front of the strip's statements, and writes them back.
void LoadRows(const std::vector<StagedRow>& rows, StmtList& body) {
  for (const StagedRow& row : rows) {
    const Expr buffer = Name(row.buffer.array);
    // Elements that the iteration leaves alone must survive.
    if (!row.whole) {
      body.insert(body.begin(),
                  MakeExpr(Call("RowsToLanes16",
                                {row.start, row.stride, row.stride, buffer})));
    }
    if (row.written) {
      body.push_back(MakeExpr(
          Call("LanesToRows16", {buffer, row.stride, row.stride, row.start})));
    }
  }
}

// The scratch of a strip, with room for all lanes where they differ.
StmtList DeclaredFor(const std::vector<Scratch>& scratch,
                     const StripBody& lanes, std::int64_t width,
                     const Site& site) {
  StmtList declared;
  for (const Scratch& one : scratch) {
    const std::int64_t copies = lanes.on_lanes.contains(one.array) ? width : 1;
    Append(declared, Declared(one, copies, site.Fresh(one.array + "_buffer")));
  }
  return declared;
}

}  // namespace

bool SuitsLanes(const Stmt& loop, const Site& site, bool bold) {
  const auto scratch = ScratchOf(loop, site.kernel, site.definitions, bold);
  if (bold && scratch.empty()) return false;
  bool serial = false, folds = false, all_short = true;
  VisitStmts(loop.body, [&](const Stmt& inner) {
    if (inner.kind != StmtKind::kFor) return;
    const Independence test = TestIndependence(inner, site.definitions);
    const auto trips = KnownTrips(inner, site.constants);
    serial |= !test.holds;
    folds |= !test.reductions.empty();
    all_short = all_short && trips && *trips <= kTile;
  });
  return (serial || (folds && all_short)) &&
         WhyNot(loop, site, scratch).empty();
}

Outcome Lanes(const Site& site, const Stmt& loop, const Technique& technique) {
  const std::int64_t width = technique.IntArg(1).value_or(0);
  if (width < 2) return NoReason("there is no such loop here");
  std::vector<Scratch> scratch =
      ScratchOf(loop, site.kernel, site.definitions, IsBold(technique));
  if (auto why = WhyNot(loop, site, scratch); !why.empty()) {
    return NoReason(why);
  }
  Stmt strip = loop;
  for (Scratch& own : OutOfBody(strip, site)) scratch.push_back(std::move(own));
  std::vector<StagedRow> rows;
  std::set<std::string> row_names;
  if (width == kTile) {
    rows = Stager(site, strip).Run(technique.Arg(2) == "staged");
  }
  for (const StagedRow& row : rows) {
    scratch.push_back(row.buffer);
    row_names.insert(row.buffer.array);
  }
  std::set<std::string> names;
  for (const Scratch& one : scratch) names.insert(one.array);
  const bool overlap = CanOverlap(Declaring(loop, scratch));
  auto lanes =
      OnLanes(strip, width, site.Fresh(loop.name + "_lane"), names, row_names);
  if (!lanes) return NoReason("its statements do not go side by side");
  LoadRows(rows, lanes->body);
  const Strips strips = CutIntoStrips(loop, width, site.constants);
  const StmtList declared = DeclaredFor(scratch, *lanes, width, site);
  StmtList replacement;
  if (overlap && !strips.exact) {
    Stmt choice = OverlappingStrips(loop, strips, std::move(lanes->body),
                                    site.Fresh(loop.name + "_at"));
    StmtList& body = choice.body[0].body;
    body.insert(body.begin(), declared.begin(), declared.end());
    replacement.push_back(std::move(choice));
  } else {
    lanes->body.insert(lanes->body.begin(), declared.begin(), declared.end());
    replacement.push_back(WholeStrips(loop, strips, std::move(lanes->body)));
    if (!strips.exact) {
      Stmt rest = ScalarTail(loop, strips);
      DropPragma(rest, "omp parallel");
      replacement.push_back(std::move(rest));
    }
  }
  auto helpers = MaximaByValue(replacement);
  if (!rows.empty()) helpers.emplace(helpers.begin(), kTransposes);
  return WithLoop(site, loop.name, std::move(replacement), std::move(helpers));
}

}  // namespace coppice::agents::catalogue
