#include "eval/formats/shapes.h"

#include <map>

#include "store/records/start_values.h"

namespace coppice::eval {
namespace {

struct CType {
  std::size_t bytes;
  const char* name;
};

std::optional<CType> TypeOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return CType{4, "float"};
    case DType::kFloat16:
      return CType{2, "_Float16"};
    case DType::kBFloat16:
      return CType{2, "uint16_t"};  // Its bits: g++ 12 has no such type.
    case DType::kInt64:
      return CType{8, "int64_t"};
    case DType::kInt32:
      return CType{4, "int32_t"};
    case DType::kInt16:
      return CType{2, "int16_t"};
    case DType::kInt8:
      return CType{1, "int8_t"};
    case DType::kBool:
      return CType{1, "bool"};
    case DType::kFloat64:
      return CType{8, "double"};
    case DType::kUInt8:
      return CType{1, "uint8_t"};
    case DType::kUInt16:
      return CType{2, "uint16_t"};
    case DType::kUInt32:
      return CType{4, "uint32_t"};
    default:
      return std::nullopt;
  }
}

using AxisValues = std::map<std::string, std::int64_t>;

constexpr std::int64_t kMaxElements = std::int64_t{1} << 31;

Result<TensorShape> ResolveTensor(const std::string& definition,
                                  const TensorSpec& spec,
                                  const AxisValues& axes) {
  const auto malformed = [&](const std::string& what) {
    return Fail(Errc::kUsage,
                definition + ": tensor " + spec.name + ": " + what);
  };
  if (!TypeOf(spec.dtype)) {
    return malformed("its dtype is not one that CPU kernels take");
  }
  if (!spec.shape && IsHalf(spec.dtype)) {
    return malformed("a 16-bit float cannot be passed by value");
  }
  TensorShape shape{.name = spec.name,
                    .dtype = spec.dtype,
                    .scalar = !spec.shape.has_value(),
                    .dims = {},
                    .elements = 1};
  std::int64_t elements = 1;
  for (const std::string& axis :
       spec.shape.value_or(std::vector<std::string>{})) {
    const auto found = axes.find(axis);
    if (found == axes.end()) return malformed("unknown axis " + axis);
    shape.dims.push_back(found->second);
    if (__builtin_mul_overflow(elements, found->second, &elements) ||
        elements > kMaxElements) {
      return malformed("more than 2^31 elements");
    }
  }
  shape.elements = static_cast<std::size_t>(elements);
  return shape;
}

}  // namespace

Result<Shapes> Resolve(const Definition& definition, const Workload& workload) {
  const AxisValues given(workload.axes.begin(), workload.axes.end());
  AxisValues axes;
  Shapes shapes;
  for (const Axis& axis : definition.axes) {
    if (axis.constant) {
      axes[axis.name] = *axis.constant;
      continue;
    }
    const auto found = given.find(axis.name);
    if (found == given.end() || found->second <= 0) {
      return Fail(Errc::kUsage, definition.name + ": workload " +
                                    workload.uuid + ": axis " + axis.name +
                                    " must have a positive value");
    }
    axes[axis.name] = found->second;
    shapes.varying_axes.push_back(found->second);
  }
  TRY(ranges, ValueRanges(definition, axes));
  TRY(forms, ValueForms(definition));
  TRY(starts, StartValues(definition));
  for (const TensorSpec& spec : definition.inputs) {
    TRY(shape, ResolveTensor(definition.name, spec, axes));
    if (const auto form = forms.find(spec.name); form != forms.end()) {
      shape.form = form->second;
    }
    if (const auto range = ranges.find(spec.name); range != ranges.end()) {
      shape.range = range->second;
    }
    shapes.inputs.push_back(std::move(shape));
  }
  for (const TensorSpec& spec : definition.outputs) {
    TRY(shape, ResolveTensor(definition.name, spec, axes));
    if (shape.scalar) {
      return Fail(Errc::kUsage, definition.name + ": output " + spec.name +
                                    ": a scalar cannot be written in place");
    }
    if (const auto as = starts.find(spec.name); as != starts.end()) {
      shape.starts_as = as->second;
    }
    shapes.outputs.push_back(std::move(shape));
  }
  if (shapes.outputs.empty()) {
    return Fail(Errc::kUsage, definition.name + ": has no output");
  }
  return shapes;
}

bool IsHalf(DType dtype) {
  return dtype == DType::kFloat16 || dtype == DType::kBFloat16;
}

bool IsFloat(DType dtype) {
  return dtype == DType::kFloat32 || dtype == DType::kFloat64 || IsHalf(dtype);
}

std::size_t ElementBytes(DType dtype) { return TypeOf(dtype)->bytes; }

int BitsOf(DType dtype) {
  if (dtype == DType::kFloat4E2M1) return 4;
  const std::optional<CType> type = TypeOf(dtype);
  return type ? static_cast<int>(8 * type->bytes) : 8;
}

std::uint64_t BytesOf(const std::vector<TensorShape>& tensors) {
  std::uint64_t bytes = 0;
  for (const TensorShape& tensor : tensors) {
    bytes += tensor.elements * ElementBytes(tensor.dtype);
  }
  return bytes;
}

const char* CTypeName(DType dtype) {
  const std::optional<CType> type = TypeOf(dtype);
  return type ? type->name : nullptr;
}

}  // namespace coppice::eval
