// A host function that launches kernels, as lines of a launch plan.
#pragma once

#include <string>
#include <vector>

#include "engine/own/source_file.h"
#include "store/records/result.h"

namespace coppice::engine::own {

// "//@ launch k<<<...>>>(...)" of each launch of `name`, or of the only host
// function that launches.  Sizes may be variables and constants of the file.
// kUsage, with the line, if the function does anything else.
Result<std::vector<std::string>> HostLaunches(const std::string& text,
                                              const std::vector<Piece>& pieces,
                                              const std::string& name);

}  // namespace coppice::engine::own
