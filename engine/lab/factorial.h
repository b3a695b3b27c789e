// What each of several choices is worth, where all levels of each are crossed
// with all of the others: policy, operator, memory.
//
// A cell of the design is a contender: one level of each factor.  On a task
// with a seed every cell ran a campaign, and with m(...) for the mean over the
// cells that have these levels
//
//   main effect    m(a) - m(a0)                     of a level and the first
//   one interaction   (m(a, b) - m(a0, b)) - (m(a, b0) - m(a0, b0))
//
// (Yates 1937, "The design and analysis of factorial experiments", for two
// levels; treatment contrasts of a balanced design for more).  Each is one
// number of a task and a seed, so it is told from 0 as a difference of two
// policies is.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/lab/comparison.h"

namespace coppice::lab {

struct Factor {
  std::string name;
  std::vector<std::string> levels;  // Two or more.
};

struct DesignCell {
  std::string policy;               // As scores have it.
  std::vector<std::size_t> levels;  // Of each factor.
};

// REQUIRES, wherever one is taken: a cell for each combination of levels.
struct Design {
  std::vector<Factor> factors;
  std::vector<DesignCell> cells;
};

// A policy's mean over tasks, each counting once.
struct CellMean : OverTasks {
  std::string policy;
  double attempts = 0.0;  // Of a campaign, on average.
};

// From the first level of a factor to another.
struct Change {
  std::size_t factor = 0;
  std::size_t level = 1;
};

struct Effect {
  std::vector<Change> changes;  // One: a main effect; two: an interaction.
  Difference difference;  // From 0; Holm's correction is over all effects.
};

struct Factorial {
  std::vector<CellMean> cells;   // Best first; of equals the earlier cell.
  std::vector<CellMean> others;  // Policies that are no cells.
  std::vector<Effect> effects;   // Main effects, then interactions.
  int races = 0;                 // Task and seed that all of them ran.

  // REQUIRES: races > 0.
  const std::string& best() const { return cells.front().policy; }
};

Factorial Analyse(const Design& design, const std::vector<Score>& scores);

// The comparison's baseline is what was chosen.  Returns it if each of the
// others is worse; the best of those that are better; none: it cannot be told.
std::string WinnerOf(const Comparison& comparison);

}  // namespace coppice::lab
