// The most that this machine does: how fast it reads memory, and its peak of
// arithmetic in single precision.  No kernel is faster than the work it cannot
// do without takes at these speeds (Williams, Waterman, Patterson 2009), so a
// time below that is no time of a call.
//
// Both are measured, by a program that is compiled as kernels are, and kept
// with the name of the machine beside the compiled kernels.
#pragma once

#include <string>
#include <vector>

#include "store/records/result.h"

namespace coppice {
struct Profile;
}

namespace coppice::eval {

class Compiler;
struct OperationCount;

struct Roofline {
  // A working set of so many bytes, of all threads together, ascending.
  struct Level {
    double bytes = 0.0;
    double bytes_per_s = 0.0;
  };
  std::vector<Level> levels;
  double flops_per_s = 0.0;
};

// What was measured of this machine with `threads` threads, now if it never
// was.  Takes some 0.2 s then.
Result<Roofline> FindRoofline(const Compiler& compiler, int threads);

// Measures again, and keeps of both measurements whatever is faster: load of
// the machine only ever lowers a roof.
Result<Roofline> RaiseRoofline(const Compiler& compiler, int threads);

// The higher one, level by level.  REQUIRES: equal levels.
Roofline Higher(const Roofline& a, const Roofline& b);

// The roofline as it is kept in a file.
std::string RooflineText(const Roofline& roof);
Result<Roofline> ParseRoofline(const std::string& text);

// The speed at which a working set of so many bytes can be read: that of the
// largest level that is not larger, or of a larger one should that be faster.
double ReadSpeed(const Roofline& roof, double bytes);

double FloorSeconds(const Roofline& roof, const OperationCount& work);

// A time beside the roofs over that work.
Profile ProfileOf(const Roofline& roof, const OperationCount& work,
                  double runtime_s);

}  // namespace coppice::eval
