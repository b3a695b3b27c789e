// A grounded instruction (STARK, section 4.3): advice, and the parent's source
// with the spans to change marked between `<<<IMPROVE BEGIN>>>` and
// `<<<IMPROVE END>>>`.
#pragma once

#include <string>

namespace coppice {

struct Plan {
  std::string advice;            // In words; what to do and why.
  std::string technique;         // Short label, "tile"; empty if none given.
  std::string annotated_source;  // The parent's source with its anchors.
  int anchors = 0;               // Marked spans; >= 1 in a valid plan.
  bool grounded = false;  // Balanced, and without anchors it is the parent's.
};

// How a code agent kept to the marked spans, in lines of its answer.
struct EditFootprint {
  int changed_inside = 0;
  int changed_outside = 0;
};

}  // namespace coppice
