// What a process that runs a candidate was seen to do.
#pragma once

#include <algorithm>

#include "store/records/outcome.h"

namespace coppice::eval {

// Anything but kPassed ends it.
struct ObservedCall : Outcome {
  double wall_s = 0.0;  // Of a batch: doorbell rung to reply seen.
  // Processor time of all its threads meanwhile, by the kernel's account,
  // which no process can edit.  Infinity if there is none.
  double cpu_s = 0.0;
  // The part of wall_s in which its first thread, or the evaluator, could run
  // and had no processor, for others had them.
  double waited_s = 0.0;

  // The time without the waits: what it takes on a machine of its own.  Nobody
  // hides work by it, since all that its threads ran for remains.
  double AloneSeconds() const {
    return wall_s - std::clamp(wall_s - cpu_s, 0.0, waited_s);
  }
};

}  // namespace coppice::eval
