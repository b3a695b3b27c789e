#include <array>

#include "agents/catalogue/loop_catalogue.h"
#include "agents/catalogue/move_list.h"
#include "agents/catalogue/network.h"
#include "agents/catalogue/pack.h"
#include "agents/catalogue/pad.h"
#include "agents/catalogue/recipes.h"
#include "agents/catalogue/strides.h"
#include "agents/catalogue/unroll.h"

namespace coppice::agents::catalogue {
namespace {

// Rows and columns whose accumulators fill the vector registers.
struct BlockShape {
  const char* rows;
  const char* columns;
  double taste;  // Up to 1.
};
constexpr std::array<BlockShape, 3> kBlocks = {
    {{"8", "32", 1.0}, {"8", "48", 0.95}, {"6", "48", 0.8}}};

// Nests of one kind: how many, and their share of the time.
struct Family {
  int nests = 0;
  double share = 0.0;

  void Count(const LoopView& view) {
    ++nests;
    share += view.share;
  }
};

bool IsProduct(const Stmt& nest, const Definitions& definitions) {
  return FindBlockLoops(nest, definitions).has_value() ||
         !FindDotLoops(nest, definitions).fold.empty();
}

// Folds or library calls in the loops within.
bool HoldsPasses(const Survey& survey, const Stmt& nest) {
  bool found = !LibraryCalls({nest}).empty();
  for (const LoopView& view : survey.Loops()) {
    found |= view.innermost && !view.test.reductions.empty() &&
             !view.outer.empty() && view.outer.front() == &nest;
  }
  return found;
}

void Copies(const Survey& survey, const LoopView& view, MoveList& moves) {
  if (const std::string array = Paddable({*view.loop}); !array.empty()) {
    moves.Add(view, {"pad", {array}}, 5.0,
              "Read " + Quoted(array) + " from a copy with a border",
              " and tests at each load whether it is inside");
  }
  const Packable packable =
      FindPackable(*view.loop, survey.WholeSite().definitions);
  if (packable.array.empty()) return;
  moves.Add(view, {"pack", {packable.array, packable.loop}}, 3.0,
            "Copy " + Quoted(packable.array) + " so that neighbours in " +
                Quoted(packable.loop) + " lie side by side",
            " and every iteration of the outer loop reads " +
                Quoted(packable.array) + " again, across its lines");
}

void Block(const LoopView& view, MoveList& moves) {
  for (const auto& [rows, columns, taste] : kBlocks) {
    moves.Add(view, {"register_block", {view.loop->name, rows, columns}},
              4.0 * taste,
              "Block the nest for registers: " + std::string(rows) +
                  " rows by " + columns + " columns",
              " and each value it loads is used only once before it is "
              "dropped");
  }
}

void Bytes(const Survey& survey, const LoopView& view, MoveList& moves) {
  const Technique product{"byte_product", {view.loop->name}};
  if (!Apply(survey.WholeSite(), product)) return;
  moves.Add(view, product, 9.0,
            "Multiply bytes four at a time by the instruction for that",
            " in products of 8-bit integers, which are widened one by one");
  if (survey.Threads() < 2) return;
  moves.Add(view, {"byte_product", {view.loop->name, "threads"}}, 9.0,
            "Multiply bytes four at a time, on threads",
            " in products of 8-bit integers, which are widened one by one");
}

void Rows(const LoopView& view, MoveList& moves) {
  for (const char* width : {"32", "64"}) {
    moves.Add(view, {"rowwise", {view.loop->name, width}}, 3.5,
              "Turn every pass over a row into vector code",
              " in passes that are scalar so far");
  }
}

// Short loops written out leave a straight body to the loop around them.
void ShortLoops(const Survey& survey, const LoopView& view, MoveList& moves) {
  int longer = 0;
  int shorter = 0;
  for (const LoopView& inner : survey.Loops()) {
    if (inner.outer.empty() || inner.outer.front() != view.loop) continue;
    const auto trips = KnownTrips(*inner.loop, survey.WholeSite().constants);
    ++(trips && *trips <= 8 ? shorter : longer);
  }
  if (shorter == 0 || longer == 0) return;
  moves.Add(view.lines, "unroll(*) + unroll(*) + simd(*)", 2.5 * view.share,
            "Write the short loops out and demand vector code around them",
            "loops too short for vectors take about " + Percent(view.share) +
                " of the time");
}

// All nests of a kind in one go.
void Everywhere(const Family& products, const Family& rows,
                const Family& serial, Lines body, MoveList& moves) {
  if (products.nests > 1) {
    for (const auto& [height, width, taste] : kBlocks) {
      moves.Add(
          body, Print(Technique{"register_block", {"*", height, width}}),
          4.5 * taste * products.share, "Block every product for registers",
          "products take about " + Percent(products.share) + " of the time");
    }
  }
  if (rows.nests > 1) {
    moves.Add(body, "rowwise(*, 32)", 4.5 * rows.share,
              "Turn every pass over rows into vector code",
              "such passes take about " + Percent(rows.share) + " of the time");
  }
  if (serial.nests > 1) {
    moves.Add(body, "parallel(*)", 3.0 * serial.share,
              "Put every outermost independent loop on threads",
              "loops that run on one thread take about " +
                  Percent(serial.share) + " of the time");
  }
}

}  // namespace

void SuggestForNests(const Survey& survey, MoveList& moves) {
  const StmtList& statements = survey.Source().body;
  if (statements.empty()) return;
  const Lines body = {statements.front().first_line,
                      statements.back().last_line};
  moves.Add(body, "restrict()", 0.5,
            "Promise that the buffers are aligned and do not overlap",
            "the compiler must otherwise expect a store to change what it has "
            "loaded");
  for (const std::string& array : SortedArrays(survey.WholeSite())) {
    moves.Add(body, Print(Technique{"network", {array}}), 8.0,
              "Order " + Quoted(array) + " by a network of comparisons",
              "it is sorted by branches, which no vector can follow, though "
              "few of its elements are used");
  }
  Family products, rows, serial;
  for (const LoopView& view : survey.Loops()) {
    if (!view.outer.empty()) continue;
    if (survey.Threads() > 1 && !view.threaded && view.test.holds) {
      serial.Count(view);
    }
    if (view.lanes || HoldsStrips(view.loop->body)) continue;
    Copies(survey, view, moves);
    Bytes(survey, view, moves);
    ShortLoops(survey, view, moves);
    if (IsProduct(*view.loop, survey.WholeSite().definitions)) {
      products.Count(view);
      Block(view, moves);
    } else if (!view.innermost && HoldsPasses(survey, *view.loop)) {
      rows.Count(view);
      Rows(view, moves);
    }
  }
  Everywhere(products, rows, serial, body, moves);
}

}  // namespace coppice::agents::catalogue
