#include "eval/cuda/assignment.h"

#include <algorithm>

#include "eval/cuda/runner/memory.h"

namespace coppice::eval::cuda {
namespace {

constexpr std::uint64_t kTensorAlignment = 256;  // As cudaMalloc gives.

std::uint64_t RoundUpTo(std::uint64_t bytes, std::uint64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

Assignment CallEntry(const std::filesystem::path& object,
                     const std::string& entry, const Shapes& shapes) {
  Assignment assignment;
  assignment.part = Part::kSharedObject;
  assignment.code = object;
  assignment.entry = entry;
  const auto add = [&](ArgumentKind kind, std::int64_t value) {
    assignment.arguments.push_back({kind, 0, value});
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
  return assignment;
}

Tensor Place(const TensorShape& shape) {
  Tensor tensor{};
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

Result<SharedMemory> WriteControl(const Assignment& assignment,
                                  const Shapes& shapes, std::uint32_t sets) {
  if (shapes.inputs.size() > kMaxTensors ||
      shapes.outputs.size() > kMaxTensors ||
      assignment.scratch_bytes.size() > kMaxTensors ||
      assignment.launches.size() > kMaxLaunches ||
      assignment.arguments.size() > kMaxArguments) {
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
  control.part = assignment.part;
  control.inputs = static_cast<std::uint32_t>(shapes.inputs.size());
  control.outputs = static_cast<std::uint32_t>(shapes.outputs.size());
  control.scratches =
      static_cast<std::uint32_t>(assignment.scratch_bytes.size());
  control.launches = static_cast<std::uint32_t>(assignment.launches.size());
  control.sets = sets;
  std::ranges::transform(shapes.inputs, control.input.begin(), Place);
  std::ranges::transform(shapes.outputs, control.output.begin(), Place);
  std::ranges::copy(assignment.scratch_bytes, control.scratch_bytes.begin());
  std::ranges::copy(assignment.launches, control.launch.begin());
  std::ranges::copy(assignment.arguments, control.argument.begin());
  assignment.entry.copy(control.entry.data(), control.entry.size() - 1);
  control.entry_arguments =
      static_cast<std::uint32_t>(assignment.arguments.size());
  return memory;
}

}  // namespace coppice::eval::cuda
