// A configuration of an attempt's source (store/records/tuning.h) that the
// engine measured, and what such trials of one node say together.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "store/records/speedup.h"
#include "store/records/verdict.h"

namespace coppice {

struct TriedConfiguration {
  std::string values;  // "TILE=64 UNROLL=4".
  Verdict verdict = Verdict::kInconclusive;
  std::optional<Speedup> speedup;  // Over the root; set if it passed.
  double evaluator_s = 0.0;        // Compiling, checking and timing it.
  bool is_chosen = false;          // It is the node's candidate.
};

// Those whose speedup is at most this factor below the best's.
inline constexpr double kAsGoodAsTheBest = 1.03;
std::size_t CountNearBest(std::span<const TriedConfiguration> tried);

// "TILE=64 won of 9 configurations tried; 4 lie within 3 % of the fastest";
// "... as written, of ..." where none was told apart from the author's, which
// is the first.  Empty if none is chosen.
std::string TuningText(std::span<const TriedConfiguration> tried);

}  // namespace coppice
