// What random inputs are drawn from.  A kernel is timed on the plain ones; it
// is checked on all that its task's error model covers, because what is right
// for N(0, 1) alone is no kernel: a softmax without its maximum, a variance as
// E[x^2] - E[x]^2, a threshold fitted to the normal tail, half of the bits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::eval {

enum class Distribution : std::uint8_t {
  kPlain,       // N(0, 1), or the dtype's uniform range.
  kZeros,       // One value; the sign of zero varies.
  kTies,        // Quarters from -2 to 2: many maxima, exact sums.
  kSorted,      // Every row ascends, from -3 to 3 or least to greatest.
  kNegative,    // -|x|.
  kTiny,        // Most are subnormal.
  kLarge,       // 2^20 x; 2^6 x in float16.
  kOffset,      // x + 2^12; less in the half types.
  kCancelling,  // Neighbours are almost opposite.
  kDominant,    // One element, anywhere, is 2^14; less in float16.
  kWildTail,    // The last eighth is 2^10 x.
  kScales,      // 2^k x with k from -12 to 12.
  // For tasks that ask for them.
  kExtreme,   // The largest and the smallest finite numbers.
  kInfinity,  // Some infinities.
  kNan,       // Some NaN.
};

// "wild_tail"
std::string_view Name(Distribution distribution);
std::optional<Distribution> ParseDistribution(std::string_view name);

// What to check a task on beside kPlain: those from kZeros to kScales, without
// the definition's tags "without:NAME", and with those of "with:NAME".  Fails
// with kUsage if it names one that there is not.
Result<std::vector<Distribution>> AdversarialDistributions(
    const Definition& definition);

// Turns samples of N(0, 1) into samples of the distribution, in place.  `seed`
// chooses places and signs.  `dtype` is a float type, which bounds the range.
// REQUIRES: `row`, the size of the last dimension, is positive.
void Reshape(Distribution distribution, DType dtype, std::uint64_t seed,
             std::size_t row, std::span<float> values);

// Reshapes samples of an integer type, within the range that they are in: only
// kZeros, kTies, kSorted, kNegative and kDominant differ from kPlain.
void Reshape(Distribution distribution, std::uint64_t seed, std::size_t row,
             std::span<std::int64_t> values);

}  // namespace coppice::eval
