// What a device is made of, in words for who writes kernels for it.
#pragma once

#include <string>

#include "eval/cuda/runner/protocol.h"
#include "eval/host/nvml.h"

namespace coppice {
struct Environment;
}

namespace coppice::eval::cuda {

class Toolchain;

// Only what does not change from one process to the next: what was measured,
// as bandwidth, is in the profiles.
std::string DeviceFacts(const DeviceIdentity& identity,
                        const Abilities& abilities);

// Where its candidates are measured.  Null: its abilities are not known yet.
Environment DeviceEnvironment(const DeviceIdentity& identity,
                              const Toolchain& toolchain,
                              const Abilities* abilities);

}  // namespace coppice::eval::cuda
