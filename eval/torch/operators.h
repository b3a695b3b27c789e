// What torch's profiler tells of one call: its operators, and what each took
// beside those that it called itself.
#pragma once

#include <string>
#include <vector>

#include "store/records/profile.h"

namespace coppice::eval::torch {

// Of a kProfile's text, which is a candidate's to write: what is no operator is
// left out, and so are all beyond the first 100.
std::vector<KernelProfile> ParseOperators(const std::string& text);

}  // namespace coppice::eval::torch
