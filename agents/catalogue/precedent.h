// Programs that made kernels of other tasks fast, to be tried here as a whole.
//
// Programs are the same if their kinds are (KindsOf).  What a try came to is
// its share: the logarithm of its speedup over the root, over that of its
// campaign's best; 0 if it failed.  With the mean share q of a program on each
// task, and that task's nearness n as its weight,
//
//   value = (sum of n q + 0.3) / (sum of n + 1)
//
// so that a program is worth the more the more tasks it was good on, and the
// nearer they are.  One that was good on a single distant task is worth less
// than 0.5, and such are left out.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "store/records/technique.h"

namespace coppice {
struct Lesson;
}

namespace coppice::agents::catalogue {

struct Precedent {
  std::vector<Technique> steps;  // As they were where it came to most.
  double value = 0.0;            // 0 to 1.
  double share = 0.0;            // Of the best, where it came to most, which is
  std::string origin;            // "softmax_rows.s1 node 3".
};

// The most valuable first, of equals the shorter; at most 40.
std::vector<Precedent> PrecedentsIn(std::span<const Lesson> lessons);

}  // namespace coppice::agents::catalogue
