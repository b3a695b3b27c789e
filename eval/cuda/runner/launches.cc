#include "eval/cuda/runner/launches.h"

#include <algorithm>
#include <array>
#include <bit>

#include "eval/cuda/runner/kernel_times.h"
#include "eval/cuda/runner/request_loop.h"

namespace coppice::eval::cuda {
namespace {

constexpr std::uint32_t kDefaultSharedBytes = 48 << 10;
constexpr std::uint32_t kPortableCluster = 8;

}  // namespace

Launches::Launches(const Gpu& gpu, const Control& control,
                   const std::string& code)
    : gpu_(gpu), control_(control) {
  const Driver& driver = gpu_.driver();
  Module module = nullptr;
  Must(driver.ModuleLoadData(&module, code.data()), FailureStage::kLoad);
  for (std::uint32_t i = 0; i < control_.launches; ++i) {
    const cuda::Launch& launch = control_.launch[i];
    Function function = nullptr;
    const Status found =
        driver.ModuleGetFunction(&function, module, launch.kernel.data());
    if (found == kNotFound) Refuse("no kernel %s", launch.kernel.data());
    Must(found, FailureStage::kLoad);
    if (launch.shared_bytes > kDefaultSharedBytes) {
      Must(driver.FuncSetAttribute(function, kMaxDynamicSharedBytes,
                                   static_cast<int>(launch.shared_bytes)),
           FailureStage::kLaunch);
    }
    if (launch.cluster[0] * launch.cluster[1] * launch.cluster[2] >
        kPortableCluster) {
      Must(driver.FuncSetAttribute(function, kNonPortableClusterSize, 1),
           FailureStage::kLaunch);
    }
    CheckParameters(function, launch);
    functions_.push_back(function);
  }
}

// The driver takes as many arguments as the kernel has parameters, of their
// sizes, from wherever it is pointed to.
void Launches::CheckParameters(Function function,
                               const cuda::Launch& launch) const {
  std::size_t offset = 0;
  std::size_t bytes = 0;
  std::uint32_t parameters = 0;
  while (gpu_.driver().FuncGetParamInfo(function, parameters, &offset,
                                        &bytes) == 0) {
    if (bytes > sizeof(std::uint64_t)) {
      Refuse("kernel %s takes a structure, which no launch can give",
             launch.kernel.data());
    }
    ++parameters;
  }
  if (parameters != launch.arguments) {
    Refuse("kernel %s has another number of parameters than its launch gives",
           launch.kernel.data());
  }
}

std::uint64_t Launches::ValueOf(const LaunchArgument& argument,
                                const Buffers& buffers) const {
  const auto i = static_cast<std::size_t>(argument.value);
  switch (argument.kind) {
    case ArgumentKind::kInput:
      return control_.input[i].scalar != 0 ? control_.cells[i]
                                           : buffers.inputs[i];
    case ArgumentKind::kOutput:
      return buffers.outputs[i];
    case ArgumentKind::kMagnitude:
      return buffers.magnitudes[i];
    case ArgumentKind::kScratch:
      return buffers.scratches[i];
    default:
      // An int32_t is the low half, which comes first.
      return std::bit_cast<std::uint64_t>(argument.value);
  }
}

void Launches::Queue(const Buffers& buffers) const {
  for (std::uint32_t i = 0; i < control_.launches; ++i) {
    const cuda::Launch& launch = control_.launch[i];
    std::array<std::uint64_t, kMaxArguments> cells;
    std::array<void*, kMaxArguments> values;
    for (std::uint32_t a = 0; a < launch.arguments; ++a) {
      cells[a] = ValueOf(control_.argument[launch.first_argument + a], buffers);
      values[a] = &cells[a];
    }
    LaunchConfiguration configuration;
    std::ranges::copy(launch.grid, configuration.grid);
    std::ranges::copy(launch.block, configuration.block);
    configuration.shared_bytes = launch.shared_bytes;
    LaunchAttribute cluster;
    if (launch.cluster[0] != 0) {
      std::ranges::copy(launch.cluster, cluster.dimensions);
      configuration.attributes = &cluster;
      configuration.attribute_count = 1;
    }
    gpu_.Launch(functions_[i], configuration, values.data(),
                FailureStage::kLaunch);
    MarkLaunch(launch);
  }
}

}  // namespace coppice::eval::cuda
