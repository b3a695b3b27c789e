// Compares what a candidate returned with what the reference did.
#pragma once

#include <optional>
#include <vector>

#include "eval/torch/closeness.h"
#include "store/records/task.h"

namespace coppice::eval {
struct Judgement;
struct Mismatch;
}  // namespace coppice::eval

namespace coppice::eval::torch {

struct Returned;

// What FlashInfer-Bench allows (matching.h).
struct Matching {
  double least = 1.0;  // The share of the elements that must match.
  double absolute = 1e-2;
  double relative = 1e-2;
};

// An output's element y passes against the reference's r if
//
//   |y - r| <= t (R + |r|)     t = 1e-4 for float32, 1e-2 for float16, 2^-6 for
//                              bfloat16, 2^-3 for float8_e4m3fn, 2^-2 for
//                              float8_e5m2
//
// where R is the root mean square of the reference's finite elements: an
// absolute tolerance (KernelBench's) lets zeros pass where outputs are small,
// as the softmax of 393216 columns is.  Without one, sums that cancel would
// have to be exact.  2^-6 is what two neighbours of bfloat16 are apart, twice:
// a reference that rounds its sums and its outputs, beside a kernel that rounds
// once, is off by as much.  A float8's t is the most that two neighbours of the
// type are apart: where sums in another order are rounded to it, some fall to
// the other side.  NaN and infinities must be where the reference has them;
// integers must be equal.
//
// KernelBench itself compares |y - r| <= t + t |y| (torch.allclose with the
// candidate second), where a NaN equals nothing, by the problem's precision.
// FlashInfer-Bench's rule is matching.h's.
// A task of GPU MODE may have its own (closeness.h).
struct Rule {
  Protocol protocol = Protocol::kCoppice;
  DType precision = DType::kFloat32;   // Of the problem.
  std::optional<Matching> matching{};  // Set: by FlashInfer-Bench's.
  std::optional<Closeness> closeness{};
};

// kWrongOutput, too, for another number of outputs, shape or type.
Judgement Compare(const std::vector<Returned>& returned,
                  const std::vector<Returned>& expected, const Rule& rule);

// The same for numbers, shapes and types alone.
Judgement CompareShapes(const std::vector<Returned>& returned,
                        const std::vector<Returned>& expected);

// t, for an output of that type.
double ToleranceFor(DType dtype, const Rule& rule);

// kWrongOutput: of output `i` of `outputs`.
Judgement Differing(const Mismatch& mismatch, const Returned& expected,
                    std::size_t i, std::size_t outputs);

}  // namespace coppice::eval::torch
