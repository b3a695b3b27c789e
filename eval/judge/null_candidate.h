// A kernel that computes nothing, or not all of it.
#pragma once

#include <cstddef>
#include <string>

#include "store/records/verdict.h"

namespace coppice::eval {

struct NullCandidate {
  std::string name;  // "zeros", "the previous output", ...
  std::string source;
  Verdict expected = Verdict::kWrongOutput;  // On a task that is fit.
  // Right by construction where every output has fewer elements.
  std::size_t least_elements = 1;
};

}  // namespace coppice::eval
