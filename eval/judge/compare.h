// Compares what a kernel wrote with what the oracle says it should be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "eval/formats/shapes.h"
#include "store/records/task.h"

namespace coppice::eval {

// What an oracle's outputs hold before it runs: a NaN, as one double and as two
// floats, that no computation yields.  Nothing matches what it leaves
// unwritten.
inline constexpr std::uint64_t kOracleUnwritten = 0x7ff8a5a5'7ff8a5a5;

// u, the largest relative error of rounding to a float type: 2^-24, 2^-11 or
// 2^-8.  0 for the others.
double UnitRoundoff(DType dtype);

// The oracle's answer for one output: for each element the value r and the
// largest |y - r| that passes: factor (u m + h), where h is half the smallest
// positive number of the type, the error of a result that underflows; and 0
// where m = 0 and for integers.
//
// Classes come first: NaN passes where r is a computed NaN and nowhere else,
// an infinity where r is it, or where r is so large that the type has nothing
// else for some number within the allowed error.
struct Expected {
  std::vector<double> values;
  std::vector<double> allowed;  // NaN: nothing passes; infinity: r is NaN.
};

Expected MakeExpected(std::vector<double> values,
                      std::span<const double> magnitudes,
                      const Tolerance& tolerance, DType dtype);

struct OutputComparison {
  std::size_t wrong = 0;
  std::size_t unwritten = 0;  // Of the wrong: still the poison.
  std::optional<std::size_t> first_wrong;
  double got = 0.0;                // Of the first wrong element.
  double worst_error_ratio = 0.0;  // As WorkloadResult has them.
  double max_absolute_error = 0.0;
  double max_relative_error = 0.0;  // Over elements with r != 0.
};

// A bool that is neither 0 nor 1 is wrong.  `bytes` is the tensor, a private
// copy; `pattern` what it was poisoned with.  REQUIRES: equal sizes.
OutputComparison Compare(std::span<const std::byte> bytes,
                         const TensorShape& shape, const Expected& expected,
                         std::uint64_t pattern);

// The value of one element in memory.
double ElementValue(const std::byte* element, DType dtype);

// What Expected::allowed is for an expected value and its magnitude.
double AllowedError(double value, double magnitude, const Tolerance& tolerance,
                    DType dtype);

struct Mismatch {
  std::size_t element = 0;  // The first wrong one.
  double got = 0.0;
  double expected = 0.0;
  double allowed = 0.0;
  std::size_t wrong = 0;
  std::size_t unwritten = 0;
};

// "output C[5, 3] (element 88): got 1.25, expected 1.5, ..."
std::string Describe(const Mismatch& mismatch, const TensorShape& shape);

// The same of a comparison.  REQUIRES: wrong > 0.
std::string Describe(const OutputComparison& comparison,
                     const TensorShape& shape, const Expected& expected);

}  // namespace coppice::eval
