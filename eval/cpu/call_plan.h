// Where the arguments of a kernel or of an oracle lie in slot memory.
//
// A kernel's parameters are, in this order: inputs (tensors by pointer,
// scalars by value), outputs by pointer, varying axes as int64_t.  An oracle
// has the same shape in double precision (float tensors and scalars as double,
// integers as int64_t), its outputs are all double, and a magnitude array per
// output follows them, before the axes.
#pragma once

#include <vector>

#include "eval/cpu/runner/protocol.h"
#include "eval/formats/shapes.h"
#include "store/records/result.h"

namespace coppice::eval {

enum class Precision { kKernel, kOracle };

// A tensor within its slot.  It begins at a multiple of 64 bytes and ends less
// than 64 bytes before a guard page; `slack` bytes at both ends of its pages
// belong to nobody.
struct TensorPlace {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  PageSpan pages{};
};

struct CallPlan {
  std::vector<CpuArgument> arguments;
  // Inputs in the order of the definition.  A scalar's place is its 8-byte
  // cell.
  std::vector<TensorPlace> inputs;
  std::vector<TensorPlace>
      outputs;  // An oracle's magnitudes follow its outputs.
  std::uint64_t input_stride = 0;
  std::uint64_t output_stride = 0;
};

// Fails with kUsage if there are more than kMaxArguments.
Result<CallPlan> PlanCall(const Shapes& shapes, Precision precision);

// Bytes of a memory of `slots` slots: with its leading guard page.
inline std::uint64_t FileBytes(std::uint64_t stride, std::uint32_t slots) {
  return kPageBytes + stride * slots;
}

}  // namespace coppice::eval
