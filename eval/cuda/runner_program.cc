#include "eval/cuda/runner_program.h"

#include <algorithm>

#include "eval/cuda/runner/memory.h"

namespace coppice::eval::cuda {
namespace {

constexpr std::uint64_t kTensorAlignment = 256;  // As cudaMalloc gives.

std::uint64_t RoundUpTo(std::uint64_t bytes, std::uint64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

RunnerProgram CallEntry(const std::filesystem::path& object,
                        const std::string& entry, const Shapes& shapes) {
  RunnerProgram runner_program;
  runner_program.part = Part::kSharedObject;
  runner_program.code = object;
  runner_program.entry = entry;
  const auto add = [&](ArgumentKind kind, std::int64_t value) {
    runner_program.arguments.push_back({kind, 0, value});
  };
  for (std::size_t i = 0; i < shapes.inputs.size(); ++i) {
    add(ArgumentKind::kInput, static_cast<std::int64_t>(i));
  }
  for (std::size_t i = 0; i < shapes.outputs.size(); ++i) {
    add(ArgumentKind::kOutput, static_cast<std::int64_t>(i));
  }
  for (const std::int64_t axis : shapes.varying_axes) {
    add(ArgumentKind::kInt64, axis);
  }
  add(ArgumentKind::kStream, 0);
  return runner_program;
}

DeviceTensor Place(const TensorShape& shape) {
  DeviceTensor tensor{};
  tensor.elements = shape.elements;
  tensor.bytes = shape.elements * ElementBytes(shape.dtype);
  tensor.pages_bytes =
      RoundUpTo(std::max<std::uint64_t>(tensor.bytes, 1), kGranularity);
  tensor.offset =
      tensor.pages_bytes - RoundUpTo(tensor.bytes, kTensorAlignment);
  tensor.dtype = static_cast<std::uint32_t>(shape.dtype);
  tensor.scalar = shape.scalar ? 1 : 0;
  return tensor;
}

Result<SharedMemory> WriteControl(const RunnerProgram& runner_program,
                                  const Shapes& shapes, std::uint32_t sets) {
  if (shapes.inputs.size() > kMaxTensors ||
      shapes.outputs.size() > kMaxTensors ||
      runner_program.scratch_bytes.size() > kMaxTensors ||
      runner_program.launches.size() > kMaxLaunches ||
      runner_program.arguments.size() > kMaxArguments) {
    return Fail(Errc::kUsage, "CUDA: more than " + std::to_string(kMaxTensors) +
                                  " tensors of a kind, " +
                                  std::to_string(kMaxLaunches) +
                                  " launches or " +
                                  std::to_string(kMaxArguments) + " arguments");
  }
  TRY(memory,
      SharedMemory::Create("control", sizeof(Control), Sharing::kReadOnly));
  auto& control = *reinterpret_cast<Control*>(memory.data());
  control.version = kProtocolVersion;
  control.part = runner_program.part;
  control.inputs = static_cast<std::uint32_t>(shapes.inputs.size());
  control.outputs = static_cast<std::uint32_t>(shapes.outputs.size());
  control.scratches =
      static_cast<std::uint32_t>(runner_program.scratch_bytes.size());
  control.launches = static_cast<std::uint32_t>(runner_program.launches.size());
  control.sets = sets;
  std::ranges::transform(shapes.inputs, control.input.begin(), Place);
  std::ranges::transform(shapes.outputs, control.output.begin(), Place);
  std::ranges::copy(runner_program.scratch_bytes,
                    control.scratch_bytes.begin());
  std::ranges::copy(runner_program.launches, control.launch.begin());
  std::ranges::copy(runner_program.arguments, control.argument.begin());
  runner_program.entry.copy(control.entry.data(), control.entry.size() - 1);
  control.entry_arguments =
      static_cast<std::uint32_t>(runner_program.arguments.size());
  return memory;
}

}  // namespace coppice::eval::cuda
