#include "eval/cpu/runner/entry.h"

#include <cstring>

namespace coppice::eval {
namespace {

ffi_type* TypeOf(const Argument& argument) {
  if (argument.kind == ArgumentKind::kInputTensor ||
      argument.kind == ArgumentKind::kOutputTensor) {
    return &ffi_type_pointer;
  }
  switch (argument.type) {
    case ScalarType::kFloat32:
      return &ffi_type_float;
    case ScalarType::kFloat64:
      return &ffi_type_double;
    case ScalarType::kInt64:
      return &ffi_type_sint64;
    case ScalarType::kInt32:
      return &ffi_type_sint32;
    case ScalarType::kInt16:
      return &ffi_type_sint16;
    case ScalarType::kInt8:
      return &ffi_type_sint8;
    case ScalarType::kBool:
    case ScalarType::kUInt8:
      return &ffi_type_uint8;
    case ScalarType::kUInt16:
      return &ffi_type_uint16;
    case ScalarType::kUInt32:
      return &ffi_type_uint32;
  }
  return &ffi_type_pointer;
}

}  // namespace

Entry::Entry(const Control& control, const std::byte* inputs,
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
    const Argument& argument = control_.arguments[i];
    switch (argument.kind) {
      case ArgumentKind::kInputTensor:
        cells_[i] = reinterpret_cast<std::uintptr_t>(input + argument.value);
        break;
      case ArgumentKind::kOutputTensor:
        cells_[i] = reinterpret_cast<std::uintptr_t>(output + argument.value);
        break;
      case ArgumentKind::kInputScalar:
        std::memcpy(&cells_[i], input + argument.value, sizeof cells_[i]);
        break;
      case ArgumentKind::kAxis:
        cells_[i] = argument.value;
        break;
    }
  }
  ffi_call(&interface_, function, nullptr, values_.data());
}

}  // namespace coppice::eval
