#include "eval/host/nvml.h"

#include <dlfcn.h>

#include <array>

namespace coppice::eval::cuda {
namespace {

using NvmlStatus = int;
using Handle = void*;

constexpr int kTemperatureOfGpu = 0;

tl::unexpected<Error> NoDevice(const std::string& what) {
  return Fail(Errc::kUnavailable, "CUDA: no device here: " + what);
}

}  // namespace

// Members are named after the functions.
// NOLINTBEGIN(readability-identifier-naming)
struct Nvml::Functions {
  NvmlStatus (*Init)();
  NvmlStatus (*Shutdown)();
  NvmlStatus (*Count)(unsigned*);
  NvmlStatus (*HandleByIndex)(unsigned, Handle*);
  NvmlStatus (*HandleByUuid)(const char*, Handle*);
  NvmlStatus (*Name)(Handle, char*, unsigned);
  NvmlStatus (*Uuid)(Handle, char*, unsigned);
  NvmlStatus (*MinorNumber)(Handle, unsigned*);
  NvmlStatus (*ComputeCapability)(Handle, int*, int*);
  NvmlStatus (*DriverVersion)(char*, unsigned);
  NvmlStatus (*Temperature)(Handle, int, unsigned*);
  NvmlStatus (*Utilization)(Handle, unsigned (*)[2]);
  // NOLINTEND(readability-identifier-naming)

  bool Find(void* library) {
    const auto find = [&](auto& function, const char* symbol) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
          dlsym(library, symbol));
      return function != nullptr;
    };
    return find(Init, "nvmlInit_v2") && find(Shutdown, "nvmlShutdown") &&
           find(Count, "nvmlDeviceGetCount_v2") &&
           find(HandleByIndex, "nvmlDeviceGetHandleByIndex_v2") &&
           find(HandleByUuid, "nvmlDeviceGetHandleByUUID") &&
           find(Name, "nvmlDeviceGetName") && find(Uuid, "nvmlDeviceGetUUID") &&
           find(MinorNumber, "nvmlDeviceGetMinorNumber") &&
           find(ComputeCapability, "nvmlDeviceGetCudaComputeCapability") &&
           find(DriverVersion, "nvmlSystemGetDriverVersion") &&
           find(Temperature, "nvmlDeviceGetTemperature") &&
           find(Utilization, "nvmlDeviceGetUtilizationRates");
  }
};

Result<std::unique_ptr<Nvml>> Nvml::Connect() {
  void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
  if (library == nullptr) return NoDevice("the driver is not installed");
  std::unique_ptr<Nvml> nvml(new Nvml());
  auto functions = std::make_unique<Functions>();
  if (!functions->Find(library)) return NoDevice("the driver is too old");
  if (functions->Init() != 0) return NoDevice("the driver does not answer");
  nvml->functions_ = std::move(functions);
  return nvml;
}

Result<void> Nvml::Identify() {
  const Functions& call = *functions_;
  std::array<char, 96> text{};
  const auto put = [&](NvmlStatus status, std::string& to) {
    if (status == 0) to = text.data();
    return status == 0;
  };
  if (!put(call.Name(handle_, text.data(), text.size()), identity_.name) ||
      !put(call.Uuid(handle_, text.data(), text.size()), identity_.uuid) ||
      !put(call.DriverVersion(text.data(), text.size()),
           identity_.driver_version) ||
      call.MinorNumber(handle_, &identity_.minor) != 0 ||
      call.ComputeCapability(handle_, &identity_.compute_major,
                             &identity_.compute_minor) != 0) {
    return NoDevice("the driver does not say which it is");
  }
  return {};
}

Result<std::unique_ptr<Nvml>> Nvml::Open(const std::string& uuid) {
  TRY(nvml, Connect());
  const Functions& call = *nvml->functions_;
  const NvmlStatus found =
      uuid.empty() ? call.HandleByIndex(0, &nvml->handle_)
                   : call.HandleByUuid(uuid.c_str(), &nvml->handle_);
  if (found != 0) {
    return NoDevice("the driver knows no device " +
                    (uuid.empty() ? "0" : uuid));
  }
  TRY_DONE(nvml->Identify());
  return nvml;
}

Result<std::vector<DeviceIdentity>> Nvml::List() {
  TRY(nvml, Connect());
  unsigned count = 0;
  if (nvml->functions_->Count(&count) != 0) {
    return NoDevice("the driver does not answer");
  }
  std::vector<DeviceIdentity> all;
  for (unsigned i = 0; i < count; ++i) {
    // One that fell off the bus has no handle, and keeps its number.
    nvml->identity_ = {};
    if (nvml->functions_->HandleByIndex(i, &nvml->handle_) == 0) {
      static_cast<void>(nvml->Identify());
    }
    all.push_back(nvml->identity_);
  }
  return all;
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

std::optional<double> Nvml::Busy() const {
  unsigned percents[2] = {};  // Of time with a kernel, and with memory used.
  if (functions_->Utilization(handle_, &percents) != 0) return std::nullopt;
  return percents[0] / 100.0;
}

}  // namespace coppice::eval::cuda
