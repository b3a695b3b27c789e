// The moves that make sense on a device-only source, each with a reason.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agents/catalogue/cuda/device_source.h"
#include "agents/catalogue/move.h"
#include "agents/catalogue/setting.h"

namespace coppice::agents::catalogue::cuda {

std::vector<Move> SuggestDeviceMoves(const std::string& source,
                                     const Setting& setting);

// From the first line of the plan, or of a kernel, to the last of either.
std::optional<Lines> WholeDeviceSpan(const std::string& source);

// Steps of the innermost loops of all threads of the launch, mean over the
// workloads; a loop whose length is not known counts 64.  It is for the kernel
// that it launches.
double WorkOf(const DeviceKernel& kernel, const SourceLaunch& launch,
              const Setting& setting);

// The blocks that it launches, mean over the workloads; 0 if not known.
double BlocksOf(const SourceLaunch& launch, const Setting& setting);

}  // namespace coppice::agents::catalogue::cuda
