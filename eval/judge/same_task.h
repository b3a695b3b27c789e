// Whether what was prepared for one task serves another.
#pragma once

#include <string>

#include "store/records/task.h"

namespace coppice::eval {

// The text of its entry file; empty if it has none.
const std::string& SourceOf(const Solution& solution);

// Equal as far as judging goes; files that inputs come from are taken for what
// they were, wherever they lie now.
bool SameTask(const Task& a, const Task& b);

}  // namespace coppice::eval
