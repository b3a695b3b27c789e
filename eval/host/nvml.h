// What the parent process asks of a device: NVML answers without a context.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

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
  // The device of that UUID, or the driver's first.  kUnavailable, in one line,
  // if this machine has no driver or no such device.
  static Result<std::unique_ptr<Nvml>> Open(const std::string& uuid = "");

  // All that the driver knows, in its order; fails as Open does.
  static Result<std::vector<DeviceIdentity>> List();

  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  const DeviceIdentity& identity() const { return identity_; }

  // Now; none if the driver does not say.
  std::optional<double> TemperatureC() const;

  // The share of the last second, or less, in which a kernel of anybody's ran;
  // none if the driver does not say.
  std::optional<double> Busy() const;

 private:
  struct Functions;

  Nvml() = default;

  static Result<std::unique_ptr<Nvml>> Connect();
  Result<void> Identify();

  std::unique_ptr<Functions> functions_;
  void* handle_ = nullptr;
  DeviceIdentity identity_;
};

}  // namespace coppice::eval::cuda
