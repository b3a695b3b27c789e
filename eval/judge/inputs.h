// The inputs of one call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "eval/formats/shapes.h"
#include "eval/judge/distributions.h"
#include "store/records/random.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::eval {

// One byte array per input, in definition order: row-major elements as the
// kernel sees them, or a scalar in the first bytes of an 8-byte cell.
using InputBytes = std::vector<std::vector<std::byte>>;

// Random inputs follow FlashInfer-Bench: floats are N(0, 1), int8 is uniform
// in [-128, 128), uint8 in [0, 256), wider integers in [-1024, 1024), or in
// [0, 2048) without a sign, bool is a fair coin; where a shape has a range, all
// values are uniform in it.
// Another distribution holds, by turns of chance, for all random tensors or
// for a random part of them, at least one.  The stream seeds a faster generator
// per tensor; equal streams give equal inputs.  Fails if a safetensors file
// does not hold what the workload says.
Result<InputBytes> MakeInputs(const Shapes& shapes, const Workload& workload,
                              RandomStream& stream,
                              Distribution distribution = Distribution::kPlain);

// N(0, 1) by the ziggurat of 256 layers (Marsaglia and Tsang 2000, J. Stat.
// Software 5, 8) over SplitMix64: 3 ms for a million, where the normals of
// RandomStream take 30.
void FillNormal(std::uint64_t seed, float* values, std::size_t count);

// The oracle's view of an input: floats as double, integers as int64_t.
std::vector<std::byte> Widen(const std::vector<std::byte>& bytes,
                             const TensorShape& shape);

}  // namespace coppice::eval
