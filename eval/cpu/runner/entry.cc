#include "eval/cpu/runner/entry.h"

#include <cstring>

namespace coppice::eval {
namespace {

ffi_type* TypeOf(const CpuArgument& argument) {
  if (argument.kind == CpuArgumentKind::kInputTensor ||
      argument.kind == CpuArgumentKind::kOutputTensor) {
    return &ffi_type_pointer;
  }
  switch (argument.type) {
    case ElementType::kFloat32:
      return &ffi_type_float;
    case ElementType::kFloat64:
      return &ffi_type_double;
    case ElementType::kInt64:
      return &ffi_type_sint64;
    case ElementType::kInt32:
      return &ffi_type_sint32;
    case ElementType::kInt16:
      return &ffi_type_sint16;
    case ElementType::kInt8:
      return &ffi_type_sint8;
    case ElementType::kBool:
    case ElementType::kUInt8:
      return &ffi_type_uint8;
    case ElementType::kUInt16:
      return &ffi_type_uint16;
    case ElementType::kUInt32:
      return &ffi_type_uint32;
  }
  return &ffi_type_pointer;
}

}  // namespace

Entry::Entry(const CpuControl& control, const std::byte* inputs,
             std::byte* outputs)
    : control_(control), inputs_(inputs), outputs_(outputs) {}

bool Entry::Prepare() {
  for (std::uint32_t i = 0; i < control_.argument_count; ++i) {
    types_[i] = TypeOf(control_.arguments[i]);
    values_[i] = &cells_[i];
  }
  return ffi_prep_cif(&interface_, FFI_DEFAULT_ABI, control_.argument_count,
                      &ffi_type_void, types_.data()) == FFI_OK;
}

void Entry::Call(void (*function)(), std::uint32_t slot) {
  const std::byte* input = inputs_ + slot * control_.inputs.stride;
  std::byte* output = outputs_ + slot * control_.outputs.stride;
  for (std::uint32_t i = 0; i < control_.argument_count; ++i) {
    const CpuArgument& argument = control_.arguments[i];
    switch (argument.kind) {
      case CpuArgumentKind::kInputTensor:
        cells_[i] = reinterpret_cast<std::uintptr_t>(input + argument.value);
        break;
      case CpuArgumentKind::kOutputTensor:
        cells_[i] = reinterpret_cast<std::uintptr_t>(output + argument.value);
        break;
      case CpuArgumentKind::kInputScalar:
        std::memcpy(&cells_[i], input + argument.value, sizeof cells_[i]);
        break;
      case CpuArgumentKind::kAxis:
        cells_[i] = argument.value;
        break;
    }
  }
  ffi_call(&interface_, function, nullptr, values_.data());
}

}  // namespace coppice::eval
