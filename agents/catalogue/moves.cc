#include "agents/catalogue/moves.h"

#include <algorithm>
#include <cmath>

#include "agents/catalogue/effects.h"
#include "agents/catalogue/pragmas.h"

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
      }
      Threads(view);
      Calls(view);
    }
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
    const Strides strides = survey_.StridesOf(view);
    const double gain = strides.strided == 0 ? 5.0 : 0.8;
    const std::string why = Weight(view) + " and every step waits for " +
                            Quoted(scalar) + " of the step before";
    for (int width : {16, 32, 64}) {
      const double fit = view.trips >= 2.0 * width ? 1.0 : 0.4;
      Add(WithArgs("accumulate", {view.loop->name, std::to_string(width)}),
          view.lines, gain * fit * view.share,
          "Fold into " + std::to_string(width) +
              " partial results that do not wait for each other",
          why);
    }
    if (!HasPragma(*view.loop, "simd")) {
      Add(WithArgs("simd", {view.loop->name}), view.lines,
          0.6 * gain * view.share,
          "Let the compiler fold " + Quoted(scalar) + " in vector registers",
          why);
    }
  }

  // A loop whose lanes read neighbours, around loops that do not.
  void Columns(const LoopView& view) {
    if (view.innermost || !view.test.Fully() || HasStrips(view)) return;
    if (IntegerValue(view.loop->step) != 1) return;
    const Strides strides = survey_.StridesOf(view);
    if (strides.unit < 2 || view.trips < 8.0) return;
    const double gain = strides.strided == 0 ? 6.0 : 1.0;
    for (int width : {16, 32, 48, 64}) {
      const double fit = view.trips >= width ? 1.0 : 0.3;
      for (const char* tail : {"masked", "overlap"}) {
        const bool overlap = tail[0] == 'o';
        Add(WithArgs("jam", {view.loop->name, std::to_string(width), tail}),
            view.lines,
            gain * fit * view.share * (overlap ? 0.6 : 1.0) *
                (width == 32 ? 1.0 : 0.7),
            "Run " + std::to_string(width) + " iterations of " +
                Quoted(view.loop->name) +
                " side by side, with one accumulator each",
            Weight(view) + "; its iterations are independent and read " +
                "neighbouring elements, so they fill vector registers");
      }
    }
  }

  bool HasStrips(const LoopView& view) const {
    bool found = false;
    VisitStmts(view.loop->body,
               [&](const Stmt& stmt) { found |= IsStrip(stmt); });
    return found;
  }

  // A few iterations of an outer loop share what they load.
  void Rows(const LoopView& view) {
    if (view.innermost || !view.test.Fully()) return;
    if (IntegerValue(view.loop->step) != 1) return;
    const Strides strides = survey_.StridesOf(view);
    if (view.trips < 4.0) return;
    const bool lanes = HasStrips(view);
    const double reuse = strides.invariant > 0 ? 1.0 : 0.4;
    const double gain = (lanes ? 4.0 : 1.2) * reuse;
    for (int height : {2, 4, 6, 8}) {
      const double fit = height == 2 ? 0.4 : (height == 8 ? 0.7 : 1.0);
      for (const char* tail : {"scalar", "overlap"}) {
        Add(WithArgs("jam", {view.loop->name, std::to_string(height), tail}),
            view.lines, gain * fit * view.share * (tail[0] == 'o' ? 0.7 : 1.0),
            "Run " + std::to_string(height) + " iterations of " +
                Quoted(view.loop->name) + " together",
            Weight(view) + (strides.invariant > 0
                                ? "; its iterations load the same values, "
                                  "which can then stay in registers"
                                : "; its iterations are independent chains "
                                  "that can overlap in time"));
      }
    }
  }

  void Vectors(const LoopView& view) {
    if (!view.innermost || HasPragma(*view.loop, "simd")) return;
    if (view.test.Fully()) {
      const Strides strides = survey_.StridesOf(view);
      Add(WithArgs("simd", {view.loop->name}), view.lines,
          (strides.strided == 0 ? 1.0 : 0.5) * view.share, "Demand vector code",
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
};

}  // namespace

std::vector<Move> SuggestMoves(const Survey& survey) {
  return Suggester(survey).Run();
}

}  // namespace coppice::agents::catalogue
