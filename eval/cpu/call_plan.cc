#include "eval/cpu/call_plan.h"

namespace coppice::eval {
namespace {

constexpr std::uint64_t kAlignment = 64;

std::uint64_t RoundUp(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

// Appends a tensor behind a guard page at `end`, which moves on.  The file's
// first page and the page at the end of a slot are guards too.
TensorPlace Append(std::uint64_t bytes, std::uint64_t& end) {
  TensorPlace place;
  place.bytes = bytes;
  place.pages = {end, RoundUp(bytes, kPageBytes)};
  place.offset = end + place.pages.bytes - RoundUp(bytes, kAlignment);
  end += place.pages.bytes + kPageBytes;
  return place;
}

ElementType TypeOf(DType dtype, Precision precision) {
  if (precision == Precision::kOracle) {
    return IsFloat(dtype) ? ElementType::kFloat64 : ElementType::kInt64;
  }
  switch (dtype) {
    case DType::kInt64:
      return ElementType::kInt64;
    case DType::kInt32:
      return ElementType::kInt32;
    case DType::kInt16:
      return ElementType::kInt16;
    case DType::kInt8:
      return ElementType::kInt8;
    case DType::kBool:
      return ElementType::kBool;
    case DType::kFloat64:
      return ElementType::kFloat64;
    case DType::kUInt8:
      return ElementType::kUInt8;
    case DType::kUInt16:
      return ElementType::kUInt16;
    case DType::kUInt32:
      return ElementType::kUInt32;
    default:
      return ElementType::kFloat32;
  }
}

}  // namespace

Result<CallPlan> PlanCall(const Shapes& shapes, Precision precision) {
  const std::size_t per_output = precision == Precision::kOracle ? 2 : 1;
  if (shapes.inputs.size() + per_output * shapes.outputs.size() +
          shapes.varying_axes.size() >
      kMaxArguments) {
    return Fail(Errc::kUsage, "a definition may have at most " +
                                  std::to_string(kMaxArguments) + " arguments");
  }
  CallPlan plan;
  std::uint64_t input_end = kPageBytes;
  for (const TensorShape& tensor : shapes.inputs) {
    const std::size_t element =
        precision == Precision::kOracle ? 8 : ElementBytes(tensor.dtype);
    const TensorPlace place =
        Append(tensor.scalar ? 8 : tensor.elements * element, input_end);
    plan.inputs.push_back(place);
    plan.arguments.push_back({tensor.scalar ? CpuArgumentKind::kInputScalar
                                            : CpuArgumentKind::kInputTensor,
                              TypeOf(tensor.dtype, precision), place.offset});
  }
  std::uint64_t output_end = kPageBytes;
  for (std::size_t pass = 0; pass < per_output; ++pass) {
    for (const TensorShape& tensor : shapes.outputs) {
      const std::size_t element =
          precision == Precision::kOracle ? 8 : ElementBytes(tensor.dtype);
      const TensorPlace place = Append(tensor.elements * element, output_end);
      plan.outputs.push_back(place);
      plan.arguments.push_back({CpuArgumentKind::kOutputTensor,
                                ElementType::kFloat64, place.offset});
    }
  }
  for (const std::int64_t axis : shapes.varying_axes) {
    plan.arguments.push_back({CpuArgumentKind::kAxis, ElementType::kInt64,
                              static_cast<std::uint64_t>(axis)});
  }
  plan.input_stride = input_end - kPageBytes;
  plan.output_stride = output_end - kPageBytes;
  return plan;
}

}  // namespace coppice::eval
