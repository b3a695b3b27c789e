#include "eval/cuda/runner/shared_object.h"

#include <dlfcn.h>
#include <ffi.h>

#include <array>
#include <bit>
#include <string>

#include "eval/cuda/runner/launches.h"
#include "eval/cuda/runner/request_loop.h"
#include "store/records/task.h"

namespace coppice::eval::cuda {
namespace {

ffi_type* TypeOf(const DeviceTensor& tensor) {
  if (tensor.scalar == 0) return &ffi_type_pointer;
  switch (static_cast<DType>(tensor.dtype)) {
    case DType::kInt64:
      return &ffi_type_sint64;
    case DType::kInt32:
      return &ffi_type_sint32;
    case DType::kInt16:
      return &ffi_type_sint16;
    case DType::kInt8:
      return &ffi_type_sint8;
    case DType::kBool:
      return &ffi_type_uint8;
    case DType::kFloat16:
    case DType::kBFloat16:
      return &ffi_type_uint16;
    default:
      return &ffi_type_float;
  }
}

// entry(inputs..., outputs..., varying axes..., stream).
class SharedObject : public LoadedProgram {
 public:
  SharedObject(const Gpu& gpu, const Control& control, void (*entry)())
      : gpu_(gpu), control_(control), entry_(entry) {
    for (std::uint32_t i = 0; i < control.entry_arguments; ++i) {
      const LaunchArgument& argument = control.argument[i];
      types_[i] =
          argument.kind == ArgumentKind::kInput
              ? TypeOf(control.input[static_cast<std::size_t>(argument.value)])
          : argument.kind == ArgumentKind::kInt64 ? &ffi_type_sint64
                                                  : &ffi_type_pointer;
      values_[i] = &cells_[i];
    }
    if (ffi_prep_cif(&interface_, FFI_DEFAULT_ABI, control.entry_arguments,
                     &ffi_type_void, types_.data()) != FFI_OK) {
      Refuse("%s cannot be called", control.entry.data());
    }
  }

  void Queue(const Buffers& buffers) override {
    for (std::uint32_t i = 0; i < control_.entry_arguments; ++i) {
      const LaunchArgument& argument = control_.argument[i];
      const auto at = static_cast<std::size_t>(argument.value);
      switch (argument.kind) {
        case ArgumentKind::kInput:
          cells_[i] = control_.input[at].scalar != 0 ? control_.cells[at]
                                                     : buffers.inputs[at];
          break;
        case ArgumentKind::kOutput:
          cells_[i] = buffers.outputs[at];
          break;
        case ArgumentKind::kStream:
          cells_[i] = std::bit_cast<std::uint64_t>(gpu_.stream());
          break;
        default:
          cells_[i] = std::bit_cast<std::uint64_t>(argument.value);
      }
    }
    ffi_call(&interface_, entry_, nullptr, values_.data());
  }

 private:
  const Gpu& gpu_;
  const Control& control_;
  void (*entry_)();
  ffi_cif interface_{};
  std::array<ffi_type*, kMaxArguments> types_{};
  std::array<std::uint64_t, kMaxArguments> cells_{};
  std::array<void*, kMaxArguments> values_{};
};

}  // namespace

std::unique_ptr<LoadedProgram> LoadSharedObject(const Gpu& gpu,
                                                const Control& control,
                                                int descriptor) {
  const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  void* object = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* entry =
      object == nullptr ? nullptr : dlsym(object, control.entry.data());
  if (entry == nullptr) Refuse("it could not be loaded: %s", dlerror());
  return std::make_unique<SharedObject>(gpu, control,
                                        reinterpret_cast<void (*)()>(entry));
}

}  // namespace coppice::eval::cuda
