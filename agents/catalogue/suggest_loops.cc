#include <cmath>

#include "agents/catalogue/lanes.h"
#include "agents/catalogue/loop_catalogue.h"
#include "agents/catalogue/move_list.h"
#include "agents/catalogue/popcount.h"
#include "agents/catalogue/pragmas.h"
#include "agents/catalogue/privatize.h"
#include "agents/catalogue/recipes.h"
#include "agents/catalogue/scan.h"
#include "agents/catalogue/strides.h"
#include "agents/catalogue/tabulate.h"
#include "agents/catalogue/unroll.h"

namespace coppice::agents::catalogue {
namespace {

// The lines of the outermost loop around it.
Lines NestOf(const LoopView& view) {
  if (view.outer.empty()) return view.lines;
  const Stmt& nest = *view.outer.front();
  return {nest.first_line, nest.last_line};
}

// Calls of our own inline functions, each of which needs many registers.
bool HoldsHelpers(const StmtList& list) {
  return HasPart(list, [](const Expr& e) {
    const std::string called = CalledFunction(e);
    return called.starts_with("Vector") || called.starts_with("Quick") ||
           called.starts_with("Rough");
  });
}

// The whole kernel's, with this loop alone between the anchors.
Site SiteOf(const Survey& survey, const LoopView& view) {
  Site site = survey.WholeSite();
  site.span = {*view.loop};
  return site;
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
    // A scalar is carried for sure, an element perhaps.
    const bool perhaps =
        view.test.why_not.find("may touch") != std::string::npos;
    moves.Add(view, {"simd", {loop, "bold"}}, perhaps ? 0.6 : 0.15,
              "Demand vector code",
              "; though " + view.test.why_not + ", it is worth a try");
  }
}

void Threads(const Survey& survey, const LoopView& view, MoveList& moves) {
  if (survey.Threads() < 2 || view.threaded || view.lanes) return;
  const std::string& loop = view.loop->name;
  const double depth = static_cast<double>(view.outer.size());
  const std::string among =
      " among " + std::to_string(survey.Threads()) + " threads";
  const Site& site = survey.WholeSite();
  const bool own_scratch =
      !view.test.holds && RunsOnThreads(*view.loop, site, /*bold=*/false);
  if (!view.test.holds && !own_scratch) {
    if (depth > 0.0) return;
    if (RunsOnThreads(*view.loop, site, /*bold=*/true)) {
      moves.Add(view, {"parallel", {loop, "bold"}}, 2.0,
                "Share the iterations" + among + ", each with its own scratch",
                "; they share nothing but scratch, which is not proven to be "
                "written before it is read");
      return;
    }
    moves.Add(view, {"parallel", {loop, "bold"}}, 0.1,
              "Share the iterations" + among,
              "; though " + view.test.why_not + ", it may do no harm");
    return;
  }
  const bool enough = view.trips >= 2.0 * survey.Threads();
  const double start_up = std::pow(0.3, depth);  // A team at every start.
  moves.Add(view, {"parallel", {loop}}, 2.5 * (enough ? 1.0 : 0.2) * start_up,
            "Share the iterations of " + Quoted(loop) + among,
            own_scratch ? " and its iterations are independent, given scratch "
                          "arrays of their own"
                        : " and its iterations are independent");
  if (PerfectlyNested(*view.loop) != nullptr) {
    moves.Add(view, {"parallel", {loop, "collapse"}},
              (enough ? 1.0 : 3.0) * start_up,
              "Share this loop and the one within" + among,
              " and both loops are independent");
  }
}

// Recurrences that are independent of each other.
void Problems(const Survey& survey, const LoopView& view, MoveList& moves) {
  if (view.innermost || view.trips < 16.0) return;
  const Site& site = survey.WholeSite();
  const std::string& loop = view.loop->name;
  const bool sure = SuitsLanes(*view.loop, site, /*bold=*/false);
  if (!sure && !SuitsLanes(*view.loop, site, /*bold=*/true)) return;
  const std::string what =
      "Solve 16 problems of " + Quoted(loop) + " side by side in vector lanes";
  std::string why =
      "; each step within waits for the one before, but the problems do not "
      "wait for each other";
  if (!sure) why += ", if none reads scratch that another has left";
  std::vector<std::string> args = {loop, "16", "staged"};
  if (!sure) args.emplace_back("bold");
  moves.Add(view, {"lanes", args}, 6.0, what, why);
  std::erase(args, "staged");
  moves.Add(view, {"lanes", args}, 3.0, what + ", from where they lie", why);
  args[1] = "32";
  moves.Add(view, {"lanes", args}, 1.5, what + ", twice", why);
}

void Calls(const Survey& survey, const LoopView& view, MoveList& moves) {
  if (!view.innermost) return;
  if (Tabulatable(*view.loop, survey.WholeSite())) {
    LoopView whole = view;  // The table stands in front of all.
    whole.lines = NestOf(view);
    moves.Add(whole, {"tabulate", {view.loop->name}}, 12.0,
              "Take from a table what the library computes from loop variables",
              ", and most of its calls repeat what was computed before");
  }
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
  const Technique alternate{"alternate", {loop}};
  if (!view.innermost && Apply(survey.WholeSite(), alternate)) {
    moves.Add(view, alternate, 5.0,
              "Let the two arrays change roles instead of copying one back",
              " and copies what each step has computed");
  }
  const Technique separate{"separate", {loop}};
  if (!view.innermost && view.outer.size() >= 2 &&
      Apply(survey.WholeSite(), separate)) {
    LoopView whole = view;  // The rows are around the window.
    whole.lines = NestOf(view);
    moves.Add(whole, separate, 10.0,
              "Sum the window's columns first, and those sums along the row",
              " and sums each column of the window anew for each pixel; sums "
              "of floats will be rounded in another order");
  }
  const Stmt* within = PerfectlyNested(*view.loop);
  const Technique wavefront{"wavefront",
                            {loop, within != nullptr ? within->name : ""}};
  if (within != nullptr && !view.test.holds &&
      Apply(survey.WholeSite(), wavefront)) {
    // The table is laid out anew wherever it is used.
    const StmtList& body = survey.Source().body;
    LoopView whole = view;
    whole.lines = {body.front().first_line, body.back().last_line};
    moves.Add(whole, wavefront, 5.0,
              "Go through the table by diagonals, which hold no two elements "
              "that wait for each other",
              ", each element of the table waits for its neighbours, and no "
              "vector can be filled along a row");
  }
  const Technique slide{"slide", {loop}};
  if (view.innermost && view.trips >= 8.0 && Apply(survey.WholeSite(), slide)) {
    LoopView whole = view;  // The places are around the window.
    whole.lines = {view.outer.back()->first_line, view.outer.back()->last_line};
    moves.Add(whole, slide, view.trips >= 32.0 ? 9.0 : 3.0,
              "Fold the windows out of smaller windows",
              " and folds again, one place on, what it has just folded; sums "
              "of floats will be rounded in another order");
  }
}

void Counts(const Survey& survey, const LoopView& view, MoveList& moves) {
  const std::string& loop = view.loop->name;
  if (CountsBits(*view.loop, survey.Source())) {
    moves.Add(view, {"popcount", {loop}}, 8.0,
              "Count the bits of a word by one instruction",
              " and looks at one bit at a time");
  }
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

// What only the ends of a loop decide.
void Borders(const Survey& survey, const LoopView& view, MoveList& moves) {
  const Technique interior{"interior", {view.loop->name}};
  const auto trips = KnownTrips(*view.loop, survey.WholeSite().constants);
  if ((trips && *trips <= 16) || !Apply(SiteOf(survey, view), interior)) {
    return;
  }
  moves.Add(view, interior, view.outer.empty() ? 3.0 : 8.0,
            "Take the border by itself, and what lies between without tests",
            " and tests in each iteration what only its ends decide");
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
  Calls(survey, view, moves);
  if (view.lanes) return;
  Folds(survey, view, moves);
  Vectors(survey, view, moves);
  Recurrences(survey, view, moves);
  Counts(survey, view, moves);
  Borders(survey, view, moves);
  Problems(survey, view, moves);
  Invariants(survey, view, moves);
}

}  // namespace coppice::agents::catalogue
