#include <array>

#include "agents/catalogue/fuse.h"
#include "agents/catalogue/jam.h"
#include "agents/catalogue/move_list.h"
#include "agents/catalogue/pragmas.h"
#include "agents/catalogue/strides.h"

namespace coppice::agents::catalogue {
namespace {

bool HoldsBranch(const StmtList& list) {
  return HasStmt(list, [](const Stmt& s) { return s.kind == StmtKind::kIf; });
}

// The tail that a jam of the loop should have, first choice first.
std::array<const char*, 2> Tails(const Stmt& loop, const char* other) {
  if (CanOverlap(loop)) return {"overlap", other};
  return {other, "overlap"};
}

// A loop whose lanes read neighbours, around loops that do not.
void Columns(const LoopView& view, const Strides& strides, MoveList& moves) {
  if (HoldsStrips(view.loop->body) || strides.unit < 2 || view.trips < 8.0) {
    return;
  }
  const std::string& loop = view.loop->name;
  double gain = strides.other == 0 ? 5.0 : 0.2;
  if (HoldsBranch(view.loop->body)) gain *= 0.15;
  for (const int width : {16, 32, 48, 64}) {
    const double fit = view.least_trips >= width ? 1.0 : 0.2;
    const double usual = width == 32 ? 1.0 : 0.8;
    double taste = 1.0;
    for (const char* tail : Tails(*view.loop, "masked")) {
      moves.Add(view, {"jam", {loop, std::to_string(width), tail}},
                gain * fit * usual * taste,
                "Run " + std::to_string(width) + " iterations of " +
                    Quoted(loop) + " side by side, with one accumulator each",
                "; its iterations are independent and read neighbouring "
                "elements, so they fill vector registers");
      taste = 0.5;
    }
  }
}

// A few iterations of an outer loop share what they load.
void Rows(const LoopView& view, const Strides& strides, MoveList& moves) {
  if (view.trips < 4.0 || ConstantTrips(*view.loop)) return;
  const std::string& loop = view.loop->name;
  const bool shares = strides.none > 0;
  const double gain =
      (HoldsStrips(view.loop->body) ? 4.0 : 0.8) * (shares ? 1.0 : 0.3);
  const std::string why =
      shares ? "; its iterations load the same values, which can then stay in "
               "registers"
             : "; its iterations are independent chains that can overlap in "
               "time";
  for (const int height : {2, 4, 6, 8}) {
    const double fit = view.least_trips >= height ? 1.0 : 0.2;
    const double usual = height == 2 ? 0.4 : 1.0;
    double taste = 1.0;
    for (const char* tail : Tails(*view.loop, "scalar")) {
      moves.Add(view, {"jam", {loop, std::to_string(height), tail}},
                gain * fit * usual * taste,
                "Run " + std::to_string(height) + " iterations of " +
                    Quoted(loop) + " together",
                why);
      taste = 0.6;
    }
  }
}

// Where one side is read along memory and the other across it.
void Transposing(const LoopView& view, const Strides& strides,
                 MoveList& moves) {
  const Stmt* inner = PerfectlyNested(*view.loop);
  if (inner == nullptr || !inner->pragmas.empty() ||
      ContainsLoop(inner->body) || strides.unit == 0 || strides.other == 0) {
    return;
  }
  const std::string& outer = view.loop->name;
  const std::string why =
      "; one side walks across memory, and a line that was fetched is gone "
      "before its neighbours are used";
  for (const char* size : {"8", "16", "32"}) {
    const double usual = size[0] == '1' ? 1.0 : 0.75;
    moves.Add(view, {"jam", {outer, size, "masked"}}, 4.0 * usual,
              "Take " + std::string(size) + " iterations of " + Quoted(outer) +
                  " together, so that both sides use whole "
                  "lines",
              why);
    moves.Add(view, {"tile", {outer, inner->name, size, size}}, 3.5 * usual,
              "Visit tiles of " + std::string(size) + " by " + size, why);
  }
  moves.Add(view, {"tile", {outer, inner->name, "64", "16"}}, 2.0,
            "Visit tiles of 64 by 16", why);
  moves.Add(view, {"interchange", {outer, inner->name}}, 1.0,
            "Write along memory instead of reading along it", why);
}

// The next statement runs over the same range.
void Neighbours(const Survey& survey, const LoopView& view, MoveList& moves) {
  const Stmt* next = nullptr;
  for (std::size_t i = view.position + 1;
       i < view.siblings->size() && next == nullptr; ++i) {
    const Stmt& stmt = (*view.siblings)[i];
    if (stmt.kind != StmtKind::kComment) next = &stmt;
  }
  if (next == nullptr ||
      !Fusible(*view.loop, *next, survey.WholeSite().definitions)) {
    return;
  }
  const std::string& loop = view.loop->name;
  moves.Add({view.lines.first, next->last_line},
            Print(Technique{"fuse", {loop}}), view.outer.empty() ? 0.7 : 1.2,
            "Join the loops over " + Quoted(loop),
            "neighbouring loops run over the same range, and what the first "
            "leaves could be used while it is at hand");
}

}  // namespace

void SuggestOrders(const Survey& survey, const LoopView& view,
                   MoveList& moves) {
  if (view.lanes) return;
  Neighbours(survey, view, moves);
  if (view.innermost || !view.test.Fully() ||
      IntegerValue(view.loop->step) != 1) {
    return;
  }
  const Strides strides = StridesOf(*view.loop, survey.WholeSite().definitions);
  Columns(view, strides, moves);
  Rows(view, strides, moves);
  Transposing(view, strides, moves);
}

}  // namespace coppice::agents::catalogue
