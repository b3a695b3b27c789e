// Calls a function whose parameters are known only at run time.
//
// By libffi rather than by a generated C shim: nothing has to be compiled per
// task, and no text of the candidate's (macros, pragmas) can reach our side.
// A call costs some tens of nanoseconds, the same for root and candidate.
#pragma once

#include <ffi.h>

#include <array>
#include <cstddef>

#include "eval/cpu/runner/protocol.h"

namespace coppice::eval {

class Entry {
 public:
  // `control`, `inputs` and `outputs` (the slot memories) outlive this.
  Entry(const CpuControl& control, const std::byte* inputs, std::byte* outputs);
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;

  bool Prepare();  // False if libffi cannot describe the signature.

  // REQUIRES: Prepare() was true; `function` has the described signature.
  void Call(void (*function)(), std::uint32_t slot);

 private:
  const CpuControl& control_;
  const std::byte* inputs_;
  std::byte* outputs_;
  ffi_cif interface_{};
  std::array<ffi_type*, kMaxArguments> types_{};
  std::array<std::uint64_t, kMaxArguments> cells_{};  // The argument values,
  std::array<void*, kMaxArguments> values_{};         // and where they are.
};

}  // namespace coppice::eval
