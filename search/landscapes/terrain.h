// Where moves lead on one simulated task.  A terrain knows what a change would
// be worth if it were written without a fault; whether it is, is
// simulation.h's.
//
// All values are log speedups over the root, so the root is 0.
#pragma once

#include <cstdint>
#include <memory>

#include "search/landscapes/keyed_draws.h"
#include "store/records/verdict.h"

namespace coppice::search {

// What one candidate is on its terrain.  Which fields mean something beside the
// log speedup is the terrain's own affair.
struct Position {
  double log_speedup = 0.0;
  double ceiling = 0.0;      // Hill, deceptive: what its basin ends at.
  double progress = 0.0;     // Deceptive: the way through its basin, [0, 1].
  double basin_start = 0.0;  // Where its basin was entered; NK: its offset.
  std::uint64_t genome = 0;  // NK: genes; ladder: insights; recorded: a row.
  // The verdict on a faultless implementation.  Not `passed`: the configuration
  // is invalid by itself, and to repair it is to leave it.
  Verdict at_best = Verdict::kPassed;

  bool operator==(const Position&) const = default;
};

// How good an agent is at choosing moves.
struct Craft {
  double first_hop = 0.0;  // Median log speedup of a rewrite of the root.
  double improves = 0.0;   // Probability that an edit goes the right way.
};

class Terrain {
 public:
  virtual ~Terrain() = default;

  // A rewrite of the root.
  virtual Position Draft(const Craft& craft, const KeyedDraws& draws) const = 0;

  // A change of a candidate that passes.
  virtual Position Edit(const Position& from, const Craft& craft,
                        const KeyedDraws& draws) const = 0;

  // A combination of two candidates that pass: what tells one from another
  // there is taken from either.  Neither is the root.
  virtual Position Cross(const Position& from, const Position& mate,
                         const Craft& craft, const KeyedDraws& draws) const = 0;

  // The first part that a move changed, from 1, where a candidate consists of
  // parts: NK's genes, a ladder's insights, parameters of a recorded space.  0:
  // it has none, or none was changed.
  virtual int ChangedPart(const Position& /*from*/,
                          const Position& /*to*/) const {
    return 0;
  }

  // Another configuration than an invalid one, to repair it.
  virtual Position Leave(const Position& invalid, const KeyedDraws&) const {
    return invalid;
  }
};

// What the terrains of the calibrated families have in common.
struct Shape {
  // The log speedup that the task's best candidates come to.  None of a basin
  // passes it; sums of genes or insights may, where many of them are lucky.
  double ceiling = 0.0;
  // Log standard deviation of how far first hops stay below the ceiling.
  double shortfall = 0.0;
  // Share of first hops that hardly change the root.
  double conservative = 0.0;
  // Mean distance of basins' ends from the ceiling, and the scale of losses.
  double gap = 0.0;
  // Weak: the share of a parent's lead that a child has, and the scale of its
  // steps in units of shortfall and height.
  double inherited = 0.75;
  double step = 0.35;
};

// What is crossed, of either parent with chance 1/2 each:
//
//   hill, deceptive   the basin; and the share of the way through it
//   nk                each gene; some are lost as by an edit
//   ladder            the mate's insights that are open, beside one's own
//   weak              all that is inherited; then as an edit
//   recorded          each parameter; while the combination is invalid, one
//                     more is that of the selected one
//
// Basins of diminishing returns: a first hop lands in a basin; an edit that
// goes the right way closes, on average, a third of what is left to the
// basin's end; one that does not loses an Exponential(gap / 2); 8 % of the
// edits restructure: they pay Exponential(1/4) and see another basin.
std::unique_ptr<Terrain> MakeHill(const Shape& shape);

// The same, but the way through a basin is convex, (share of way)^2.5, and
// basins that start slow end high: who compares early is deceived.
std::unique_ptr<Terrain> MakeDeceptive(const Shape& shape);

// 20 genes of 4 values, each worth a number of mean 0 and variance 1 that
// depends on two other genes (NK landscape; Kauffman and Weinberger 1989):
//
//   log speedup = offset of the first hop
//                 + height * (sum of the 20 numbers / sqrt(20)) / 3
//   height      = max(ceiling - first hop, 0.2)
//
// An edit changes one gene or two, and is the best of 1 to 4 such changes by
// the agent's craft.
std::unique_ptr<Terrain> MakeNk(const Shape& shape, std::uint64_t task_key);

// 12 insights, each worth height * Exponential(1) / 7 once, some only after
// another one, some excluding their neighbour.  An edit tries one of them.
std::unique_ptr<Terrain> MakeLadder(const Shape& shape, std::uint64_t task_key);

// Weak inheritance: log speedup = first hop + inherited * (parent - first
// hop) + a heavy-tailed step.  Luck counts for more than lineage.
// They drift up where Craft::improves is above that, else down.
inline constexpr double kNeutralCraft = 0.3;
std::unique_ptr<Terrain> MakeWeak(const Shape& shape);

}  // namespace coppice::search
