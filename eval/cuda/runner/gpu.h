// The device, its one context and one stream, and the trusted kernels.
#pragma once

#include <cstdint>
#include <string>

#include "eval/cuda/runner/driver.h"
#include "eval/cuda/runner/protocol.h"

namespace coppice::eval::cuda {

// Every failure of the driver ends the process (request_loop.h).
class Gpu {
 public:
  // The first visible device (CUDA_VISIBLE_DEVICES), its primary context, and
  // the helpers, one of which has run once; none if that is empty.
  explicit Gpu(const std::string& helpers);
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  const Driver& driver() const { return driver_; }
  Device device() const { return device_; }
  Context context() const { return context_; }
  Stream stream() const { return stream_; }
  int Attribute(DeviceAttribute attribute) const;

  // Waits for all that this context does, on every stream.
  void Synchronize(FailureStage stage) const;

  DevicePointer Allocate(std::uint64_t bytes) const;

  // On our stream, unless the configuration names another.
  void Launch(Function function, LaunchConfiguration configuration,
              void** arguments, FailureStage stage) const;

  // A helper with one thread per item, at most 16 blocks a multiprocessor.
  template <class... Arguments>
  void Help(Function helper, std::uint64_t items,
            Arguments... arguments) const {
    void* pointers[] = {&arguments..., nullptr};
    LaunchSpread(helper, items, pointers);
  }

  void Fill(DevicePointer at, std::uint64_t bytes, std::uint64_t pattern) const;

  struct Helpers {
    Function hold, litter, stamp, empty, fill, differ, slack, generate, compare,
        copy, fma;
  };
  const Helpers& helpers() const { return helpers_; }

 private:
  void LaunchSpread(Function helper, std::uint64_t items,
                    void** arguments) const;

  const Driver& driver_;
  Device device_ = 0;
  Context context_ = nullptr;
  Stream stream_ = nullptr;
  unsigned most_blocks_ = 0;
  Helpers helpers_{};
};

}  // namespace coppice::eval::cuda
