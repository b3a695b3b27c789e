#include <cmath>

#include "agents/catalogue/move_list.h"
#include "agents/catalogue/pragmas.h"
#include "agents/catalogue/privatize.h"
#include "agents/catalogue/recipes.h"
#include "agents/catalogue/scan.h"
#include "agents/catalogue/strides.h"
#include "agents/catalogue/unroll.h"

namespace coppice::agents::catalogue {
namespace {

// Calls of our own inline functions, each of which needs many registers.
bool HoldsHelpers(const StmtList& list) {
  bool found = false;
  VisitExprs(list, [&](const Expr& whole) {
    Visit(whole, [&](const Expr& e) {
      const std::string called = CalledFunction(e);
      found |= called.starts_with("Vector") || called.starts_with("Quick") ||
               called.starts_with("Rough");
    });
  });
  return found;
}

bool WithinProduct(const Survey& survey, const LoopView& view) {
  return !view.outer.empty() &&
         !FindDotLoops(*view.outer.front(), survey.WholeSite().definitions)
              .fold.empty();
}

// Latency: each step of a fold waits for the one before.
void Folds(const Survey& survey, const LoopView& view, MoveList& moves) {
  if (!view.innermost || !view.test.holds || view.test.reductions.empty() ||
      view.trips < 8.0) {
    return;
  }
  const std::string& loop = view.loop->name;
  const std::string& scalar = view.test.reductions[0].scalar;
  const Strides strides = StridesOf(*view.loop, survey.WholeSite().definitions);
  double gain = strides.other == 0 ? 5.0 : 0.8;
  if (WithinProduct(survey, view)) gain *= 0.5;  // Blocking does more.
  const bool crowded = HoldsHelpers(view.loop->body);
  const std::string why =
      " and every step waits for " + Quoted(scalar) + " of the step before";
  for (const int width : {16, 32, 64}) {
    const double fit = view.trips >= 2.0 * width ? 1.0 : 0.4;
    moves.Add(view, {"accumulate", {loop, std::to_string(width)}},
              gain * fit * (crowded ? 0.3 : 1.0),
              "Fold into " + std::to_string(width) +
                  " partial results that do not wait for each other",
              why);
  }
  if (!HasPragma(*view.loop, "simd")) {
    moves.Add(
        view, {"simd", {loop}}, gain * (crowded ? 1.0 : 0.6),
        "Let the compiler fold " + Quoted(scalar) + " in vector registers",
        why);
  }
}

void Vectors(const Survey& survey, const LoopView& view, MoveList& moves) {
  if (!view.innermost || HasPragma(*view.loop, "simd")) return;
  const std::string& loop = view.loop->name;
  if (view.test.Fully()) {
    const Strides strides =
        StridesOf(*view.loop, survey.WholeSite().definitions);
    moves.Add(view, {"simd", {loop}}, strides.other == 0 ? 1.0 : 0.5,
              "Demand vector code", " and its iterations are independent");
    for (const char* width : {"32", "64", "128"}) {
      moves.Add(view, {"jam", {loop, width, "masked"}}, 0.4,
                "Take " + std::string(width) + " iterations at a time",
                " and several vectors under way at once hide latencies");
    }
  } else if (!view.test.holds) {
    moves.Add(view, {"simd", {loop, "bold"}}, 0.15, "Demand vector code",
              "; though " + view.test.why_not + ", it is worth a try");
  }
}

void Threads(const Survey& survey, const LoopView& view, MoveList& moves) {
  if (survey.Threads() < 2 || view.threaded || view.lanes) return;
  const std::string& loop = view.loop->name;
  const double depth = static_cast<double>(view.outer.size());
  const std::string among =
      " among " + std::to_string(survey.Threads()) + " threads";
  if (!view.test.holds) {
    if (depth > 0.0) return;
    moves.Add(view, {"parallel", {loop, "bold"}}, 0.1,
              "Share the iterations" + among,
              "; though " + view.test.why_not + ", it may do no harm");
    return;
  }
  const bool enough = view.trips >= 2.0 * survey.Threads();
  const double start_up = std::pow(0.3, depth);  // A team at every start.
  moves.Add(view, {"parallel", {loop}}, 2.5 * (enough ? 1.0 : 0.2) * start_up,
            "Share the iterations of " + Quoted(loop) + among,
            " and its iterations are independent");
  if (PerfectlyNested(*view.loop) != nullptr) {
    moves.Add(view, {"parallel", {loop, "collapse"}},
              (enough ? 1.0 : 3.0) * start_up,
              "Share this loop and the one within" + among,
              " and both loops are independent");
  }
}

void Calls(const LoopView& view, MoveList& moves) {
  if (!view.innermost) return;
  for (const auto& [function, times] : LibraryCalls(view.loop->body)) {
    const std::string why = " and calls " + Quoted(function) +
                            ", a library function that keeps it scalar";
    moves.Add(view, {"math", {function}}, 6.0,
              "Compute " + Quoted(function) +
                  " inline by a polynomial without branches",
              why);
    moves.Add(view, {"math", {function, "rough"}}, 0.5,
              "Compute " + Quoted(function) + " to fewer bits", why);
    if (function == "tanh") {
      moves.Add(view, {"math", {function, "quick"}}, 4.0,
                "Compute `tanh` by one exponential, which rounds small values",
                why);
    }
  }
}

void Recurrences(const Survey& survey, const LoopView& view, MoveList& moves) {
  const std::string& loop = view.loop->name;
  if (const std::string sum = ScannedScalar(*view.loop); !sum.empty()) {
    moves.Add(view, {"scan", {loop}}, 5.0,
              "Add sixteen steps of the running sum within a register",
              " and every step waits for " + Quoted(sum));
  }
  if (!CountsIntoTable(*view.loop)) return;
  const std::string why =
      " and an increment waits when its neighbour hit the same counter";
  for (const char* copies : {"2", "4", "8"}) {
    moves.Add(view, {"privatize", {loop, copies}}, 4.0,
              "Count into " + std::string(copies) + " tables in turn", why);
    if (survey.Threads() < 2) continue;
    moves.Add(view, {"privatize", {loop, copies, "threads"}}, 4.5,
              "Count on threads, each with " + std::string(copies) +
                  " tables of its own",
              why);
  }
}

void Invariants(const Survey& survey, const LoopView& view, MoveList& moves) {
  if (!view.innermost) return;
  const std::string& loop = view.loop->name;
  moves.Add(view, {"hoist", {loop}}, 0.9,
            "Compute once, in front of the loop, what does not change in it",
            "");
  moves.Add(view, {"promote", {loop}}, 1.5, "Keep the element in a register",
            " and updates one element of memory each time");
  moves.Add(view, {"fission", {loop}}, 0.1,
            "Give each statement a loop of its own", "");
  const auto trips = KnownTrips(*view.loop, survey.WholeSite().constants);
  if (trips && *trips <= 8) {
    moves.Add(view, {"unroll", {loop}}, 1.5, "Write the short loop out",
              " and makes " + std::to_string(*trips) +
                  " steps only, so the loop around it cannot become vector "
                  "code");
  }
}

}  // namespace

void SuggestForLoop(const Survey& survey, const LoopView& view,
                    MoveList& moves) {
  Threads(survey, view, moves);
  Calls(view, moves);
  if (view.lanes) return;
  Folds(survey, view, moves);
  Vectors(survey, view, moves);
  Recurrences(survey, view, moves);
  Invariants(survey, view, moves);
}

}  // namespace coppice::agents::catalogue
