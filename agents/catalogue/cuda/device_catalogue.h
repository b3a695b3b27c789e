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

// What these techniques do is said where they are written.
DeviceOutcome Exchange(const DeviceSite& site, const Technique& technique);
DeviceOutcome RestrictPointers(const DeviceSite& site, const Technique&);
DeviceOutcome UnrollLoop(const DeviceSite& site, const Technique& technique);
DeviceOutcome QuickMath(const DeviceSite& site, const Technique&);
DeviceOutcome Threads(const DeviceSite& site, const Technique& technique);
DeviceOutcome Stride(const DeviceSite& site, const Technique& technique);
DeviceOutcome PackElements(const DeviceSite& site, const Technique& technique);
DeviceOutcome SharedBins(const DeviceSite& site, const Technique& technique);
DeviceOutcome Coarsen(const DeviceSite& site, const Technique& technique);
DeviceOutcome ShareRows(const DeviceSite& site, const Technique& technique);
DeviceOutcome MmaProduct(const DeviceSite& site, const Technique& technique);
DeviceOutcome WgmmaProduct(const DeviceSite& site, const Technique& technique);

}  // namespace coppice::agents::catalogue::cuda
