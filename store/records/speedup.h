// The one currency for speed: how many times as fast as the root a kernel is,
// from rounds in which both ran in turn.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>

namespace coppice {

// 95 %.
struct Interval {
  double low = 0.0;
  double high = 0.0;
  bool operator==(const Interval&) const = default;
};

struct Speedup {
  double ratio = 1.0;
  std::optional<Interval> interval;  // None: too few rounds to tell.

  // Faster (> 0) or slower (< 0) than `threshold` times the root, if the
  // interval leaves the threshold out by at least half a per cent, below which
  // nothing is claimed; otherwise 0: cannot tell.
  int Sign(double threshold = 1.0) const;
};

// Half widths are those of intervals of logarithms.
double HalfWidth(const Interval& interval);
Speedup Around(double ratio, double half_width);

// At which fast_p is told: KernelBench's, and two for larger speedups.  They
// are the view `thresholds`, too.
inline constexpr std::array kFastThresholds = {0.0, 0.5, 0.8, 1.0,
                                               1.5, 2.0, 4.0, 8.0};

// What several sessions of one kernel say together.  Session i with the log
// ratio x_i and the half width h_i of its interval, in logarithms, weighs
// w_i = 1 / h_i^2:
//
//   x = sum w_i x_i / sum w_i      h = S / sqrt(sum w_i)
//
// S is 1, or Birge's ratio sqrt(sum w_i (x_i - x)^2 / (k - 1)) * 1.96 if that
// is more: sessions that disagree widen what they say together (Particle Data
// Group, Review of Particle Physics, section 5.2.2).  A session without an
// interval counts only if none has one; then the result has none either.
// REQUIRES: there is one.
Speedup Pool(std::span<const Speedup> sessions);

// How many times as fast `a` is as `b`, both over the same root, each measured
// in sessions of its own: independent errors of logarithms add in squares.
Speedup Over(const Speedup& a, const Speedup& b);

// "1.31x (95 % interval 1.28-1.34)", or "cannot tell: ..." (speedup_text.h).
std::string Describe(const Speedup& speedup);

}  // namespace coppice
