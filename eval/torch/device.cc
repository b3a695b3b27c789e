#include "eval/torch/device.h"

#include <filesystem>
#include <system_error>

namespace coppice::eval::torch {
namespace {

constexpr char kCuda[] = "cuda:";

bool IsCuda(const std::string& device) {
  return device.starts_with(kCuda) && device.size() > sizeof kCuda - 1 &&
         device.find_first_not_of("0123456789", sizeof kCuda - 1) ==
             std::string::npos;
}

bool HasDriver() {
  std::error_code ignored;
  return std::filesystem::exists("/dev/nvidiactl", ignored);
}

}  // namespace

Result<std::string> ChooseDevice(const std::string& wanted,
                                 const Interpreter& interpreter) {
  // "cpu:0" is judged as on a device (device_tensor_exchange.h), for tests.
  if (wanted == "cpu" || wanted == "cpu:0") return wanted;
  const bool has_cuda = !interpreter.cuda.empty();
  if (wanted == "auto") return has_cuda && HasDriver() ? "cuda:0" : "cpu";
  const std::string device = wanted == "cuda" ? "cuda:0" : wanted;
  if (!IsCuda(device)) {
    return Fail(Errc::kUsage, wanted + ": expected auto, cpu or cuda:N");
  }
  if (!has_cuda) {
    return Fail(Errc::kUnavailable,
                "PyTorch " + interpreter.torch +
                    " is built without CUDA; --python names a Python with "
                    "another, and --devices cpu does without");
  }
  if (!HasDriver()) {
    return Fail(Errc::kUnavailable,
                "there is no NVIDIA device here; --devices cpu does without");
  }
  return device;
}

std::string FactsOnDevice(const std::string& architecture,
                          const std::string& host) {
  if (architecture.size() < 2) return host;
  const std::size_t minor = architecture.size() - 1;
  return "compute capability " + architecture.substr(0, minor) + "." +
         architecture.substr(minor) + "; its host: " + host;
}

}  // namespace coppice::eval::torch
