#include "eval/cuda/launch_check.h"

#include <algorithm>

namespace coppice::eval::cuda {
namespace {

// A block has no more: registers on all devices since compute capability 7.0,
// shared bytes since 9.0.
constexpr std::uint64_t kRegisters = 64 << 10;
constexpr std::uint64_t kSharedBytes = 227 << 10;
constexpr std::uint64_t kWarpThreads = 32;
constexpr std::uint64_t kThreadRegisters = 8;  // A thread has a multiple.

std::string Listed(const std::vector<KernelFacts>& kernels) {
  constexpr std::size_t kMost = 16;
  if (kernels.empty()) return "none";
  std::string text;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (i == kMost) return text + ", ...";
    text += (i == 0 ? "" : ", ") + kernels[i].name;
  }
  return text;
}

std::uint32_t BytesOf(const LaunchArgument& argument, const Shapes& shapes) {
  if (argument.kind == ArgumentKind::kInt32) return 4;
  if (argument.kind != ArgumentKind::kInput) return 8;
  const TensorShape& input =
      shapes.inputs.at(static_cast<std::size_t>(argument.value));
  return input.scalar ? static_cast<std::uint32_t>(ElementBytes(input.dtype))
                      : 8;
}

std::string CheckParameters(const Launch& launch, const RunnerProgram& plan,
                            const Shapes& shapes, const KernelFacts& kernel) {
  if (kernel.parameters.size() != launch.arguments) {
    return "takes " + std::to_string(kernel.parameters.size()) +
           " parameters, the launch gives " + std::to_string(launch.arguments);
  }
  for (std::uint32_t i = 0; i < launch.arguments; ++i) {
    const LaunchArgument& argument =
        plan.arguments.at(launch.first_argument + i);
    const std::uint32_t given = BytesOf(argument, shapes);
    if (kernel.parameters[i] == given) continue;
    std::string text = "takes " + std::to_string(kernel.parameters[i]) +
                       " bytes as parameter " + std::to_string(i + 1) +
                       ", the launch gives " + std::to_string(given);
    if (argument.kind == ArgumentKind::kInt64 && kernel.parameters[i] == 4) {
      text += ": pass an int as int32(...)";
    }
    return text;
  }
  return "";
}

std::string CheckBlock(const Launch& launch, const KernelFacts& kernel) {
  const std::uint64_t threads =
      std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  if (threads > kernel.max_threads) {
    return "is bounded to " + std::to_string(kernel.max_threads) +
           " threads per block, the launch asks for " + std::to_string(threads);
  }
  const std::uint64_t per_thread = (kernel.registers + kThreadRegisters - 1) /
                                   kThreadRegisters * kThreadRegisters;
  const std::uint64_t warps = (threads + kWarpThreads - 1) / kWarpThreads;
  if (per_thread * warps * kWarpThreads > kRegisters) {
    return "needs " + std::to_string(kernel.registers) +
           " registers per thread, too many for a block of " +
           std::to_string(threads) + " threads: bound it with " +
           "__launch_bounds__(" + std::to_string(threads) + ")";
  }
  if (kernel.shared_bytes + launch.shared_bytes > kSharedBytes) {
    return "has " + std::to_string(kernel.shared_bytes) +
           " bytes of static shared memory, which with " +
           std::to_string(launch.shared_bytes) + " more exceed " +
           std::to_string(kSharedBytes);
  }
  return "";
}

}  // namespace

std::string CheckLaunches(const RunnerProgram& plan, const Shapes& shapes,
                          const std::vector<KernelFacts>& kernels) {
  const std::string start = "kernel.cu: launch plan: ";
  for (const Launch& launch : plan.launches) {
    const std::string name = launch.kernel.data();
    const auto kernel = std::ranges::find(kernels, name, &KernelFacts::name);
    if (kernel == kernels.end()) {
      return start + "no kernel " + name + "; there are: " + Listed(kernels) +
             " (a kernel must be extern \"C\" __global__)\n";
    }
    std::string wrong = CheckParameters(launch, plan, shapes, *kernel);
    if (wrong.empty()) wrong = CheckBlock(launch, *kernel);
    if (!wrong.empty()) return start + "kernel " + name + " " + wrong + "\n";
  }
  return "";
}

}  // namespace coppice::eval::cuda
