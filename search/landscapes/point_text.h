// A point of a simulated landscape as a source: what simulated agents hand to
// each other and to the evaluator, through the seams of real ones.
//
//   sim hill/1
//   # A point of a simulated landscape, see docs/landscapes.md.
//   root_runtime_s 0.01
//   key 00f3a1c02b7d9e44
//   depth 2
//   log_speedup 0.31
//   ceiling 0.92
//   progress 0
//   basin_start -0.2
//   genome 0
//   at_best passed
//   measured 0.304
//
// Where its plan changes a part of it, as of a recorded space its third
// parameter, "part 3" follows at_best.  A failing one has "bug wrong_output" or
// "bug wrong_output stubborn" in place of the last line.  The root ends after
// its runtime: it is the same for all tasks of a landscape, and the seed
// chooses among these.  Blank lines and lines that start with `#` are comments;
// so anchors are too.
#pragma once

#include <string>
#include <string_view>

#include "search/landscapes/simulation.h"
#include "store/records/result.h"

namespace coppice::search {

struct PointText {
  std::string landscape;  // As a user names it, without "sim:".
  double root_runtime_s = 0.0;
  Point point;  // Of the root: depth 0, and no key.

  bool operator==(const PointText&) const = default;
};

// Error kCorrupt with the number of the line, as a compiler would say it.
Result<PointText> ParsePoint(std::string_view source);

// Numbers to the last bit, so that parsing gives the same point.
std::string Render(const PointText& text);

// REQUIRES: it passes.  Seconds, from what was measured.
double RuntimeOf(const Point& point, double root_runtime_s);

}  // namespace coppice::search
