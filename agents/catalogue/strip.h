// Strip-mining: a loop cut into strips of a constant width, and what to do
// with the iterations that are left over.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agents/catalogue/dependence.h"
#include "agents/catalogue/stmt.h"
#include "agents/catalogue/technique.h"

namespace coppice::agents::catalogue {

enum class Tail {
  kScalar,   // One iteration at a time.
  kMasked,   // One more strip, whose lanes past the end load 0, store nothing.
  kOverlap,  // The last strip is shifted back and redoes some iterations.
};

// "", "scalar", "masked", "overlap"; nothing for another word.
std::optional<Tail> ParseTail(std::string_view word);

// The strips of `loop`: `width` iterations that start at loop.name + 0.
struct Strips {
  Expr main_bound;     // Where whole strips end.
  bool exact = false;  // Known to leave no tail.
  Expr step;           // Of the loop over strips.
};
Strips CutIntoStrips(const Stmt& loop, std::int64_t width,
                     const Constants& constants);

// The loop over whole strips, and what they leave, one at a time.
Stmt WholeStrips(const Stmt& loop, const Strips& strips, StmtList body);
Stmt ScalarTail(const Stmt& loop, const Strips& strips);

// All strips whole: the last one starts early enough, where `shifted` says.  A
// choice, with the loop as it was for one that is too short.
Stmt OverlappingStrips(const Stmt& loop, const Strips& strips, StmtList body,
                       const std::string& shifted);

// What stands for the loop's variable in a lane of the strip that begins there.
Expr AtLane(const Stmt& loop, Expr lane);

// A simd loop over the lanes of a strip of `loop`, whose type they have, so
// that sums with its variable have it, too.
Stmt LaneLoop(const Stmt& loop, const std::string& lane, std::int64_t width,
              StmtList body);

// std::max returns a reference, which keeps lanes out of registers: calls of
// it and of std::min in the statements become calls of a function by value.
// Returns the sources of the functions.
std::vector<std::string> MaximaByValue(StmtList& list);

// Lanes that may be switched off.
struct Mask {
  Expr condition;
  std::set<std::string> local;    // Arrays that are safe to touch anyway,
  std::set<std::string> varying;  // unless their subscripts mention these.
  std::set<std::string> whole{};  // Numbers, which 0 does not divide.
};

// Is its value a whole number?  Names that the kernel does not have are taken
// for some.
bool IsWhole(const Expr& expr, const Kernel& kernel);

// Why parts of the folds may not be folded by themselves; empty if they may.
// 1 + 0.5 + 0.5 is 1 where each sum is cut to a whole number.
std::string WhyNotFolded(const Site& site, const Stmt& loop,
                         const std::vector<Reduction>& reductions);

// The arrays that the list declares, which no other name stands for.
std::set<std::string> OwnArrays(const StmtList& list);

// The statements made harmless where the condition is false: loads of arrays
// give 0, stores to them do not happen.  Nothing if the statements hold what
// cannot be masked.
std::optional<StmtList> Masked(StmtList list, const Mask& mask);

}  // namespace coppice::agents::catalogue
