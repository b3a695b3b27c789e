#include "eval/cuda/runner/gpu.h"

#include <algorithm>

#include "eval/cuda/runner/request_loop.h"

namespace coppice::eval::cuda {
namespace {

const Driver& RequireDriver() {
  const char* why = "";
  const Driver* driver = LoadDriver(&why);
  if (driver == nullptr) Refuse("the CUDA driver cannot be used: %s", why);
  return *driver;
}

}  // namespace

Gpu::Gpu(const std::string& helpers) : driver_(RequireDriver()) {
  Must(driver_.Init(0), FailureStage::kStart);
  Must(driver_.DeviceGet(&device_, 0), FailureStage::kStart);
  Must(driver_.DevicePrimaryCtxSetFlags(device_, kSpinWhileWaiting),
       FailureStage::kStart);
  Must(driver_.DevicePrimaryCtxRetain(&context_, device_),
       FailureStage::kStart);
  Must(driver_.CtxSetCurrent(context_), FailureStage::kStart);
  Must(driver_.StreamCreate(&stream_, kStreamNonBlocking),
       FailureStage::kStart);
  most_blocks_ = 16 * static_cast<unsigned>(Attribute(kMultiprocessors));
  if (helpers.empty()) return;
  Module module = nullptr;
  Must(driver_.ModuleLoadData(&module, helpers.data()), FailureStage::kStart);
  const auto find = [&](const char* name) {
    Function function = nullptr;
    Must(driver_.ModuleGetFunction(&function, module, name),
         FailureStage::kStart);
    return function;
  };
  helpers_ = {.hold = find("coppice_hold"),
              .litter = find("coppice_litter"),
              .stamp = find("coppice_stamp"),
              .empty = find("coppice_empty"),
              .fill = find("coppice_fill"),
              .differ = find("coppice_differ"),
              .slack = find("coppice_slack"),
              .generate = find("coppice_generate"),
              .compare = find("coppice_compare"),
              .copy = find("coppice_copy"),
              .fma = find("coppice_fma")};
  Help(helpers_.empty, 1);
  Synchronize(FailureStage::kStart);
}

int Gpu::Attribute(DeviceAttribute attribute) const {
  int value = 0;
  Must(driver_.DeviceGetAttribute(&value, attribute, device_),
       FailureStage::kStart);
  return value;
}

void Gpu::Synchronize(FailureStage stage) const {
  Must(driver_.CtxSynchronize(), stage);
}

DevicePointer Gpu::Allocate(std::uint64_t bytes) const {
  DevicePointer at = 0;
  Must(driver_.MemAlloc(&at, std::max<std::uint64_t>(bytes, 1)),
       FailureStage::kMemory);
  return at;
}

void Gpu::Launch(Function function, LaunchConfiguration configuration,
                 void** arguments, FailureStage stage) const {
  if (configuration.stream == nullptr) configuration.stream = stream_;
  Must(driver_.LaunchKernelEx(&configuration, function, arguments, nullptr),
       stage);
}

void Gpu::LaunchSpread(Function helper, std::uint64_t items,
                       void** arguments) const {
  LaunchConfiguration configuration;
  configuration.block[0] = 256;  // Whole warps, for those that shuffle.
  configuration.grid[0] = static_cast<unsigned>(
      std::clamp<std::uint64_t>((items + 255) / 256, 1, most_blocks_));
  Launch(helper, configuration, arguments, FailureStage::kStart);
}

void Gpu::Fill(DevicePointer at, std::uint64_t bytes,
               std::uint64_t pattern) const {
  if (bytes >= 8) Help(helpers_.fill, bytes / 8, at, bytes / 8, pattern);
}

}  // namespace coppice::eval::cuda
