#include "agents/catalogue/moves.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "agents/catalogue/fuse.h"
#include "agents/catalogue/jam.h"
#include "agents/catalogue/pack.h"
#include "agents/catalogue/pad.h"
#include "agents/catalogue/pragmas.h"
#include "agents/catalogue/privatize.h"
#include "agents/catalogue/recipes.h"
#include "agents/catalogue/scan.h"
#include "agents/catalogue/strides.h"
#include "agents/catalogue/unroll.h"

namespace coppice::agents::catalogue {
namespace {

std::string Quoted(const std::string& name) { return "`" + name + "`"; }

std::string Percent(double share) {
  return std::to_string(static_cast<int>(std::lround(100.0 * share))) + " %";
}

std::string WithArgs(const std::string& name,
                     const std::vector<std::string>& args) {
  return Print(Technique{name, args});
}

// Rows and columns whose accumulators fill the vector registers.
constexpr std::array<std::array<const char*, 2>, 3> kBlocks = {
    {{"8", "32"}, {"6", "48"}, {"8", "48"}}};

class Suggester {
 public:
  explicit Suggester(const Survey& survey) : survey_(survey) {}

  std::vector<Move> Run() {
    WholeFunction();
    for (const LoopView& view : survey_.Loops()) {
      if (view.share < 0.02 || view.trips < 1.0) continue;
      if (!view.lanes) {
        Folds(view);
        Columns(view);
        Rows(view);
        Vectors(view);
        Transposing(view);
        Neighbours(view);
        Recurrences(view);
        Invariants(view);
        Recipes(view);
        ShortLoops(view);
      }
      Threads(view);
      Calls(view);
    }
    Everywhere();
    return std::move(moves_);
  }

 private:
  void Add(std::string label, Lines span, double score, std::string what,
           std::string why) {
    if (score <= 0.0) return;
    moves_.push_back(
        {std::move(label), span, score, std::move(what), std::move(why)});
  }

  std::string Weight(const LoopView& view) const {
    return "the loop over " + Quoted(view.loop->name) + " takes about " +
           Percent(view.share) + " of the time";
  }

  Lines WholeBody() const {
    const StmtList& body = survey_.Source().body;
    return {body.front().first_line, body.back().last_line};
  }

  void WholeFunction() {
    if (survey_.Source().body.empty()) return;
    Add("restrict()", WholeBody(), 0.5,
        "Promise that the buffers are aligned and do not overlap",
        "the compiler must otherwise expect a store to change what it has "
        "loaded");
  }

  // Latency: each step of a fold waits for the one before.
  void Folds(const LoopView& view) {
    if (!view.innermost || !view.test.holds || view.test.reductions.empty()) {
      return;
    }
    if (view.trips < 8.0) return;
    const std::string& scalar = view.test.reductions[0].scalar;
    const Strides strides = StridesIn(view);
    double gain = strides.other == 0 ? 5.0 : 0.8;
    if (WithinProduct(view)) gain *= 0.5;  // Blocking does more.
    const double parts = HoldsHelpers(view.loop->body) ? 0.3 : 1.0;
    const std::string why = Weight(view) + " and every step waits for " +
                            Quoted(scalar) + " of the step before";
    for (int width : {16, 32, 64}) {
      const double fit = view.trips >= 2.0 * width ? 1.0 : 0.4;
      Add(WithArgs("accumulate", {view.loop->name, std::to_string(width)}),
          view.lines, gain * fit * parts * view.share,
          "Fold into " + std::to_string(width) +
              " partial results that do not wait for each other",
          why);
    }
    if (!HasPragma(*view.loop, "simd")) {
      Add(WithArgs("simd", {view.loop->name}), view.lines,
          (parts < 1.0 ? 1.0 : 0.6) * gain * view.share,
          "Let the compiler fold " + Quoted(scalar) + " in vector registers",
          why);
    }
  }

  bool WithinProduct(const LoopView& view) const {
    return !view.outer.empty() &&
           !FindDotLoops(*view.outer.front(), survey_.WholeSite().definitions)
                .fold.empty();
  }

  // A loop whose lanes read neighbours, around loops that do not.
  void Columns(const LoopView& view) {
    if (view.innermost || !view.test.Fully() || HoldsStrips(view.loop->body) ||
        IntegerValue(view.loop->step) != 1) {
      return;
    }
    const Strides strides = StridesIn(view);
    if (strides.unit < 2 || view.trips < 8.0) return;
    double gain = strides.other == 0 ? 5.0 : 1.0;
    if (HoldsBranch(view.loop->body)) gain *= 0.15;
    const bool overlap = CanOverlap(*view.loop);
    for (int width : {16, 32, 48, 64}) {
      const double fit = view.least_trips >= width ? 1.0 : 0.2;
      for (const char* tail : {"overlap", "masked"}) {
        const double taste = (tail[0] == 'o') == overlap ? 1.0 : 0.5;
        Add(WithArgs("jam", {view.loop->name, std::to_string(width), tail}),
            view.lines,
            gain * fit * taste * view.share * (width == 32 ? 1.0 : 0.8),
            "Run " + std::to_string(width) + " iterations of " +
                Quoted(view.loop->name) +
                " side by side, with one accumulator each",
            Weight(view) + "; its iterations are independent and read " +
                "neighbouring elements, so they fill vector registers");
      }
    }
  }

  // Calls of our own inline functions, each of which needs many registers.
  static bool HoldsHelpers(const StmtList& list) {
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

  static bool HoldsBranch(const StmtList& list) {
    bool found = false;
    VisitStmts(list, [&](const Stmt& s) { found |= s.kind == StmtKind::kIf; });
    return found;
  }

  // A few iterations of an outer loop share what they load.
  void Rows(const LoopView& view) {
    if (view.innermost || !view.test.Fully() || view.trips < 4.0 ||
        IntegerValue(view.loop->step) != 1 || ConstantTrips(*view.loop)) {
      return;
    }
    const Strides strides = StridesIn(view);
    const double reuse = strides.none > 0 ? 1.0 : 0.3;
    const double gain = (HoldsStrips(view.loop->body) ? 4.0 : 0.8) * reuse;
    const bool overlap = CanOverlap(*view.loop);
    for (int height : {2, 4, 6, 8}) {
      const double fit = height == 2                  ? 0.4
                         : view.least_trips >= height ? 1.0
                                                      : 0.2;
      for (const char* tail : {"overlap", "scalar"}) {
        const double taste = (tail[0] == 'o') == overlap ? 1.0 : 0.6;
        Add(WithArgs("jam", {view.loop->name, std::to_string(height), tail}),
            view.lines, gain * fit * taste * view.share,
            "Run " + std::to_string(height) + " iterations of " +
                Quoted(view.loop->name) + " together",
            Weight(view) + (strides.none > 0
                                ? "; its iterations load the same values, "
                                  "which can then stay in registers"
                                : "; its iterations are independent chains "
                                  "that can overlap in time"));
      }
    }
  }

  // Where one side is read along memory and the other across it.
  void Transposing(const LoopView& view) {
    const Stmt* inner = PerfectlyNested(*view.loop);
    if (inner == nullptr || !view.test.Fully() || !inner->pragmas.empty() ||
        ContainsLoop(inner->body) || IntegerValue(view.loop->step) != 1) {
      return;
    }
    const Strides strides = StridesIn(view);
    if (strides.unit == 0 || strides.other == 0) return;
    const std::string& outer = view.loop->name;
    const std::string why =
        Weight(view) +
        "; one side walks across memory, and a line that was "
        "fetched is gone before its neighbours are used";
    for (const char* size : {"8", "16", "32"}) {
      Add(WithArgs("jam", {outer, size, "masked"}), view.lines,
          (size[0] == '1' ? 4.0 : 3.0) * view.share,
          "Take " + std::string(size) + " iterations of " + Quoted(outer) +
              " together, so that both sides use whole lines",
          why);
      Add(WithArgs("tile", {outer, inner->name, size, size}), view.lines,
          (size[0] == '1' ? 3.5 : 2.5) * view.share,
          "Visit tiles of " + std::string(size) + " by " + size, why);
    }
    Add(WithArgs("tile", {outer, inner->name, "64", "16"}), view.lines,
        2.0 * view.share, "Visit tiles of 64 by 16", why);
    Add(WithArgs("interchange", {outer, inner->name}), view.lines,
        1.0 * view.share, "Write along memory instead of reading along it",
        why);
  }

  void Neighbours(const LoopView& view) {
    for (std::size_t next = view.position + 1; next < view.siblings->size();
         ++next) {
      const Stmt& other = (*view.siblings)[next];
      if (other.kind == StmtKind::kComment) continue;
      if (Fusible(*view.loop, other, survey_.WholeSite().definitions)) {
        Add(WithArgs("fuse", {view.loop->name}),
            {view.lines.first, other.last_line}, view.outer.empty() ? 0.7 : 1.2,
            "Join the loops over " + Quoted(view.loop->name),
            "neighbouring loops run over the same range, and what the first "
            "leaves could be used while it is at hand");
      }
      return;
    }
  }

  void Recurrences(const LoopView& view) {
    if (const std::string sum = ScannedScalar(*view.loop); !sum.empty()) {
      Add(WithArgs("scan", {view.loop->name}), view.lines, 5.0 * view.share,
          "Add sixteen steps of the running sum within a register",
          Weight(view) + " and every step waits for " + Quoted(sum));
    }
    if (!CountsIntoTable(*view.loop)) return;
    const std::string why =
        Weight(view) +
        " and an increment waits when its neighbour hit the "
        "same counter";
    for (const char* copies : {"2", "4", "8"}) {
      Add(WithArgs("privatize", {view.loop->name, copies}), view.lines,
          4.0 * view.share,
          "Count into " + std::string(copies) + " tables in turn", why);
      if (survey_.Threads() < 2) continue;
      Add(WithArgs("privatize", {view.loop->name, copies, "threads"}),
          view.lines, 4.5 * view.share,
          "Count on threads, each with " + std::string(copies) +
              " tables of its own",
          why);
    }
  }

  void Invariants(const LoopView& view) {
    if (view.innermost) {
      Add(WithArgs("hoist", {view.loop->name}), view.lines, 0.9 * view.share,
          "Compute once, in front of the loop, what does not change in it",
          Weight(view));
      Add(WithArgs("promote", {view.loop->name}), view.lines, 1.5 * view.share,
          "Keep the element in a register",
          Weight(view) + " and updates one element of memory each time");
      Add(WithArgs("fission", {view.loop->name}), view.lines, 0.1 * view.share,
          "Give each statement a loop of its own", Weight(view));
    }
    const auto trips = KnownTrips(*view.loop, survey_.WholeSite().constants);
    if (view.innermost && trips && *trips <= 8) {
      Add(WithArgs("unroll", {view.loop->name}), view.lines, 1.5 * view.share,
          "Write the short loop out",
          Weight(view) + " and makes " + std::to_string(*trips) +
              " steps only, so the loop around it cannot become vector code");
    }
  }

  void Recipes(const LoopView& view) {
    if (!view.outer.empty() || HoldsStrips(view.loop->body)) return;
    if (const std::string padded = Paddable({*view.loop}); !padded.empty()) {
      Add(WithArgs("pad", {padded}), view.lines, 5.0 * view.share,
          "Read " + Quoted(padded) + " from a copy with a border of zeros",
          Weight(view) + " and tests at each load whether it is inside");
    }
    const Definitions& definitions = survey_.WholeSite().definitions;
    if (const Packable packable = FindPackable(*view.loop, definitions);
        !packable.array.empty()) {
      Add(WithArgs("pack", {packable.array, packable.loop}), view.lines,
          3.0 * view.share,
          "Copy " + Quoted(packable.array) + " so that neighbours in " +
              Quoted(packable.loop) + " lie side by side",
          Weight(view) + " and every iteration of the outer loop reads " +
              Quoted(packable.array) + " again, across its lines");
    }
    const bool block = FindBlockLoops(*view.loop, definitions).has_value() ||
                       !FindDotLoops(*view.loop, definitions).fold.empty();
    if (block) {
      blockable_ += view.share;
      ++blockable_nests_;
      for (const char* rows : {"4", "8"}) {
        Add(WithArgs("register_block", {view.loop->name, rows, "32"}),
            view.lines, 4.0 * view.share,
            "Block the nest for registers: " + std::string(rows) +
                " rows by 32 columns",
            Weight(view) +
                " and each value it loads is used only once "
                "before it is dropped");
      }
    } else if (!view.innermost && HoldsPasses(*view.loop)) {
      rowwise_ += view.share;
      ++rowwise_nests_;
      for (const char* width : {"32", "64"}) {
        Add(WithArgs("rowwise", {view.loop->name, width}), view.lines,
            3.5 * view.share, "Turn every pass over a row into vector code",
            Weight(view) + " in passes that are scalar so far");
      }
    }
  }

  // Folds or library calls in the loops within.
  bool HoldsPasses(const Stmt& nest) const {
    bool found = !LibraryCalls({nest}).empty();
    for (const LoopView& view : survey_.Loops()) {
      found |= view.innermost && !view.test.reductions.empty() &&
               !view.outer.empty() && view.outer.front() == &nest;
    }
    return found;
  }

  // Short loops written out leave a straight body to the loop around them.
  void ShortLoops(const LoopView& view) {
    if (!view.outer.empty()) return;
    const Constants& constants = survey_.WholeSite().constants;
    int longer = 0;
    int short_loops = 0;
    for (const LoopView& inner : survey_.Loops()) {
      if (inner.outer.empty() || inner.outer.front() != view.loop) continue;
      const auto trips = KnownTrips(*inner.loop, constants);
      ++(trips && *trips <= 8 ? short_loops : longer);
    }
    if (short_loops == 0 || longer == 0) return;
    Add("unroll(*) + unroll(*) + simd(*)", view.lines, 2.5 * view.share,
        "Write the short loops out and demand vector code around them",
        Weight(view) + " in loops too short for vectors");
  }

  // Several nests of one kind in one go.
  void Everywhere() {
    if (blockable_nests_ > 1) {
      for (const auto& [rows, columns] : kBlocks) {
        Add(WithArgs("register_block", {"*", rows, columns}), WholeBody(),
            4.5 * blockable_, "Block every product for registers",
            "products take about " + Percent(blockable_) + " of the time");
      }
    }
    if (rowwise_nests_ > 1) {
      Add(WithArgs("rowwise", {"*", "32"}), WholeBody(), 4.5 * rowwise_,
          "Turn every pass over rows into vector code",
          "such passes take about " + Percent(rowwise_) + " of the time");
    }
    double serial = 0.0;
    int nests = 0;
    for (const LoopView& view : survey_.Loops()) {
      if (!view.outer.empty() || view.threaded || !view.test.holds) continue;
      serial += view.share;
      ++nests;
    }
    if (nests > 1 && survey_.Threads() > 1) {
      Add("parallel(*)", WholeBody(), 3.0 * serial,
          "Put every outermost independent loop on threads",
          "loops that run on one thread take about " + Percent(serial) +
              " of the time");
    }
  }

  Strides StridesIn(const LoopView& view) const {
    return StridesOf(*view.loop, survey_.WholeSite().definitions);
  }

  void Vectors(const LoopView& view) {
    if (!view.innermost || HasPragma(*view.loop, "simd")) return;
    if (view.test.Fully()) {
      const Strides strides = StridesIn(view);
      Add(WithArgs("simd", {view.loop->name}), view.lines,
          (strides.other == 0 ? 1.0 : 0.5) * view.share, "Demand vector code",
          Weight(view) + " and its iterations are independent");
    } else if (!view.test.holds) {
      Add(WithArgs("simd", {view.loop->name, "bold"}), view.lines,
          0.15 * view.share, "Demand vector code",
          Weight(view) + "; though " + view.test.why_not +
              ", it is worth a try");
    }
  }

  void Threads(const LoopView& view) {
    if (survey_.Threads() < 2 || view.threaded || view.lanes) return;
    const double depth = static_cast<double>(view.outer.size());
    const std::string threads = std::to_string(survey_.Threads());
    if (view.test.holds) {
      const double trips = view.trips >= 2.0 * survey_.Threads() ? 1.0 : 0.2;
      Add(WithArgs("parallel", {view.loop->name}), view.lines,
          2.5 * view.share * trips * std::pow(0.3, depth),
          "Share the iterations of " + Quoted(view.loop->name) + " among " +
              threads + " threads",
          Weight(view) + " and its iterations are independent");
      if (PerfectlyNested(*view.loop) != nullptr) {
        Add(WithArgs("parallel", {view.loop->name, "collapse"}), view.lines,
            2.0 * view.share * (trips < 1.0 ? 1.5 : 0.5) * std::pow(0.3, depth),
            "Share this loop and the one within among " + threads + " threads",
            Weight(view) + " and both loops are independent");
      }
    } else if (depth == 0) {
      Add(WithArgs("parallel", {view.loop->name, "bold"}), view.lines,
          0.1 * view.share,
          "Share the iterations among " + threads + " threads",
          Weight(view) + "; though " + view.test.why_not +
              ", it may do no harm");
    }
  }

  void Calls(const LoopView& view) {
    if (!view.innermost) return;
    for (const auto& [function, times] : LibraryCalls(view.loop->body)) {
      const std::string why = Weight(view) + " and calls " + Quoted(function) +
                              ", a library function that keeps it scalar";
      Add(WithArgs("math", {function}), view.lines, 6.0 * view.share,
          "Compute " + Quoted(function) +
              " inline by a polynomial without branches",
          why);
      Add(WithArgs("math", {function, "rough"}), view.lines, 0.5 * view.share,
          "Compute " + Quoted(function) + " to fewer bits", why);
      if (function == "tanh") {
        Add(WithArgs("math", {function, "quick"}), view.lines, 4.0 * view.share,
            "Compute `tanh` by one exponential, which rounds small values",
            why);
      }
    }
  }

  const Survey& survey_;
  std::vector<Move> moves_;
  double blockable_ = 0.0;  // Shares of the time.
  double rowwise_ = 0.0;
  int blockable_nests_ = 0;
  int rowwise_nests_ = 0;
};

}  // namespace

std::vector<Move> SuggestMoves(const Survey& survey) {
  return Suggester(survey).Run();
}

}  // namespace coppice::agents::catalogue
