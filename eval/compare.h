// Compares what a kernel wrote with what the oracle says it should be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "eval/shapes.h"
#include "store/records/task.h"

namespace coppice::eval {

// The oracle's answer for one output: for each element the value r and the
// largest |y - r| that passes, factor * 2^-24 * m (0 for integers).
struct Expected {
  std::vector<double> values;
  std::vector<double> allowed;
};

Expected MakeExpected(std::vector<double> values,
                      std::span<const double> magnitudes,
                      const Tolerance& tolerance, DType dtype);

struct Comparison {
  std::size_t wrong = 0;
  std::size_t unwritten = 0;  // Of the wrong: still the poison.
  std::optional<std::size_t> first_wrong;
  double got = 0.0;                // Of the first wrong element.
  double worst_error_ratio = 0.0;  // As WorkloadResult has them.
  double max_absolute_error = 0.0;
  double max_relative_error = 0.0;  // Over elements with r != 0.
};

// NaN never passes; an infinity passes where the oracle says that infinity.
// A bool that is neither 0 nor 1 is wrong.  `bytes` is the tensor, a private
// copy; `pattern` what it was poisoned with.  REQUIRES: equal sizes.
Comparison Compare(std::span<const std::byte> bytes, const TensorShape& shape,
                   const Expected& expected, std::uint64_t pattern);

// "output C[5, 3] (element 88): got 1.25, expected 1.5, ..." for a comparison
// with wrong > 0.
std::string Describe(const Comparison& comparison, const TensorShape& shape,
                     const Expected& expected);

}  // namespace coppice::eval
