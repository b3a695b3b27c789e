#include "eval/cuda/nvml.h"

#include <dlfcn.h>

#include <array>

namespace coppice::eval::cuda {
namespace {

using NvmlStatus = int;
using Handle = void*;

constexpr int kTemperatureOfGpu = 0;

}  // namespace

// Members are named after the functions.
// NOLINTBEGIN(readability-identifier-naming)
struct Nvml::Functions {
  NvmlStatus (*Init)();
  NvmlStatus (*Shutdown)();
  NvmlStatus (*HandleByIndex)(unsigned, Handle*);
  NvmlStatus (*Name)(Handle, char*, unsigned);
  NvmlStatus (*Uuid)(Handle, char*, unsigned);
  NvmlStatus (*MinorNumber)(Handle, unsigned*);
  NvmlStatus (*ComputeCapability)(Handle, int*, int*);
  NvmlStatus (*DriverVersion)(char*, unsigned);
  NvmlStatus (*Temperature)(Handle, int, unsigned*);
  // NOLINTEND(readability-identifier-naming)

  bool Find(void* library) {
    const auto find = [&](auto& function, const char* symbol) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
          dlsym(library, symbol));
      return function != nullptr;
    };
    return find(Init, "nvmlInit_v2") && find(Shutdown, "nvmlShutdown") &&
           find(HandleByIndex, "nvmlDeviceGetHandleByIndex_v2") &&
           find(Name, "nvmlDeviceGetName") && find(Uuid, "nvmlDeviceGetUUID") &&
           find(MinorNumber, "nvmlDeviceGetMinorNumber") &&
           find(ComputeCapability, "nvmlDeviceGetCudaComputeCapability") &&
           find(DriverVersion, "nvmlSystemGetDriverVersion") &&
           find(Temperature, "nvmlDeviceGetTemperature");
  }
};

Result<std::unique_ptr<Nvml>> Nvml::Open(unsigned device) {
  const auto missing = [](const std::string& what) {
    return Fail(Errc::kUnavailable, "CUDA: no device here: " + what);
  };
  void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
  if (library == nullptr) return missing("the driver is not installed");
  std::unique_ptr<Nvml> nvml(new Nvml());
  auto functions = std::make_unique<Functions>();
  if (!functions->Find(library)) return missing("the driver is too old");
  if (functions->Init() != 0) return missing("the driver does not answer");
  nvml->functions_ = std::move(functions);
  const Functions& call = *nvml->functions_;
  if (call.HandleByIndex(device, &nvml->handle_) != 0) {
    return missing("the driver knows no device " + std::to_string(device));
  }
  DeviceIdentity& identity = nvml->identity_;
  std::array<char, 96> text{};
  const auto put = [&](NvmlStatus status, std::string& to) {
    if (status == 0) to = text.data();
    return status == 0;
  };
  if (!put(call.Name(nvml->handle_, text.data(), text.size()), identity.name) ||
      !put(call.Uuid(nvml->handle_, text.data(), text.size()), identity.uuid) ||
      !put(call.DriverVersion(text.data(), text.size()),
           identity.driver_version) ||
      call.MinorNumber(nvml->handle_, &identity.minor) != 0 ||
      call.ComputeCapability(nvml->handle_, &identity.compute_major,
                             &identity.compute_minor) != 0) {
    return missing("the driver does not say which it is");
  }
  return nvml;
}

Nvml::~Nvml() {
  if (functions_ != nullptr) functions_->Shutdown();
}

std::optional<double> Nvml::TemperatureC() const {
  unsigned celsius = 0;
  if (functions_->Temperature(handle_, kTemperatureOfGpu, &celsius) != 0) {
    return std::nullopt;
  }
  return celsius;
}

}  // namespace coppice::eval::cuda
