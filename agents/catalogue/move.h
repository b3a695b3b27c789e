// A move that makes sense on a kernel, with a reason in words.
#pragma once

#include <string>

#include "agents/catalogue/anchors.h"

namespace coppice::agents::catalogue {

struct Move {
  std::string label;   // "jam(j, 32)"
  Lines span;          // Statements to put between the anchors.
  double score = 0.0;  // Larger is more promising; > 0.
  std::string what;    // "Compute 32 neighbouring iterations of `j` at once"
  std::string why;     // "the loop ... takes about 90 % of the time ..."
};

}  // namespace coppice::agents::catalogue
