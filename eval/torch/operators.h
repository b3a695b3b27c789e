// What torch's profiler tells of one call: its operators, and what each took
// beside those that it called itself.
#pragma once

#include <string>
#include <vector>

#include "store/records/profile.h"

namespace coppice::eval::torch {

// Reads a kProfile's text.  A candidate may have written it, so what is no
// operator is left out, and so are all beyond the first 100.
std::vector<KernelProfile> ParseOperators(const std::string& text);

}  // namespace coppice::eval::torch
