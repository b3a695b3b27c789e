// A technique on a kernel of a device-only source: "tile(gemm, 64, 64)".
//
// The first argument names the kernel.  A technique gives the kernel's new
// body and launch, or says in words why it cannot.  As on the CPU, some are
// gambles, and the evaluator judges.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "agents/catalogue/cuda/device_source.h"
#include "agents/catalogue/technique.h"

namespace coppice::agents::catalogue::cuda {

struct DeviceSite {
  const DeviceSource& source;
  const DeviceKernel& kernel;
  const SourceLaunch& launch;  // The only one of the kernel.

  std::string Fresh(const std::string& base) const {
    return FreshName(base, source.names);
  }
};

using DeviceOutcome = tl::expected<DeviceEdit, std::string>;

}  // namespace coppice::agents::catalogue::cuda
