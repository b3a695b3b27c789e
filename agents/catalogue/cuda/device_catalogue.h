// The catalogue for device-only CUDA sources: every technique by its name.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "agents/catalogue/cuda/device_technique.h"

namespace coppice::agents::catalogue::cuda {

// The techniques in order, each on the kernel that it names: the whole new
// source, or why not.  `root` is where "again" starts from.
tl::expected<std::string, std::string> RewriteDevice(
    const std::string& source, const std::vector<Technique>& techniques,
    const std::string& root);

}  // namespace coppice::agents::catalogue::cuda
