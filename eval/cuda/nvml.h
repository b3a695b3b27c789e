// What the parent process asks of a device: NVML answers without a context.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "store/records/result.h"

namespace coppice::eval::cuda {

struct DeviceIdentity {
  std::string name;    // "NVIDIA H200".
  std::string uuid;    // "GPU-...": what CUDA_VISIBLE_DEVICES takes.
  unsigned minor = 0;  // Of /dev/nvidiaN.
  int compute_major = 0;
  int compute_minor = 0;
  std::string driver_version;  // "580.159.04".
};

class Nvml {
 public:
  // The device of that number.  kUnavailable, in one line, if this machine has
  // no driver or no such device.
  static Result<std::unique_ptr<Nvml>> Open(unsigned device = 0);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  const DeviceIdentity& identity() const { return identity_; }

  // Now; none if the driver does not say.
  std::optional<double> TemperatureC() const;

 private:
  struct Functions;

  Nvml() = default;

  std::unique_ptr<Functions> functions_;
  void* handle_ = nullptr;
  DeviceIdentity identity_;
};

}  // namespace coppice::eval::cuda
