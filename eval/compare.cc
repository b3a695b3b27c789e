#include "eval/compare.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

namespace coppice::eval {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Distance, with equal infinities at 0 and NaN left as it is.
double Distance(double y, double r) { return y == r ? 0.0 : std::abs(y - r); }

double NanAsInfinity(double value) {
  if (std::isnan(value)) return kInfinity;
  return value;
}

template <class T>
Comparison CompareAs(std::span<const std::byte> bytes, const Expected& expected,
                     std::uint64_t pattern) {
  Comparison result;
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    T y;
    std::memcpy(&y, bytes.data() + i * sizeof y, sizeof y);
    const double r = expected.values[i];
    const double allowed = expected.allowed[i];
    const double error = Distance(static_cast<double>(y), r);
    // Written so that a NaN on any side is wrong.
    if (error <= allowed) {
      if (error == 0.0) continue;
      result.worst_error_ratio =
          std::max(result.worst_error_ratio, error / allowed);
    } else {
      ++result.wrong;
      const std::size_t at = i * sizeof y % sizeof pattern;
      const auto* poison = reinterpret_cast<const std::byte*>(&pattern) + at;
      if (std::memcmp(poison, bytes.data() + i * sizeof y, sizeof y) == 0)
        ++result.unwritten;
      if (!result.first_wrong) {
        result.first_wrong = i;
        result.got = static_cast<double>(y);
      }
      // Division by an allowed error of 0 gives the infinity that is meant.
      result.worst_error_ratio =
          std::max(result.worst_error_ratio, NanAsInfinity(error / allowed));
    }
    const double shown = NanAsInfinity(error);
    result.max_absolute_error = std::max(result.max_absolute_error, shown);
    if (r != 0.0) {
      result.max_relative_error =
          std::max(result.max_relative_error, shown / std::abs(r));
    }
  }
  return result;
}

// "C[5, 3]" of element 88 in a tensor of 17 columns.
std::string ElementName(const TensorShape& shape, std::size_t element) {
  std::string subscripts;
  for (std::size_t i = shape.dims.size(); i-- > 0;) {
    const auto extent = static_cast<std::size_t>(shape.dims[i]);
    if (!subscripts.empty()) subscripts.insert(0, ", ");
    subscripts.insert(0, std::to_string(element % extent));
    element /= extent;
  }
  return shape.name + "[" + subscripts + "]";
}

}  // namespace

Expected MakeExpected(std::vector<double> values,
                      std::span<const double> magnitudes,
                      const Tolerance& tolerance, DType dtype) {
  const double scale =
      dtype == DType::kFloat32 ? tolerance.factor * 0x1p-24 : 0.0;
  Expected expected{.values = std::move(values), .allowed = {}};
  expected.allowed.reserve(magnitudes.size());
  for (const double m : magnitudes) {
    expected.allowed.push_back(scale == 0.0 ? 0.0 : scale * m);
  }
  return expected;
}

Comparison Compare(std::span<const std::byte> bytes, const TensorShape& shape,
                   const Expected& expected, std::uint64_t pattern) {
  switch (shape.dtype) {
    case DType::kInt64:
      return CompareAs<std::int64_t>(bytes, expected, pattern);
    case DType::kInt32:
      return CompareAs<std::int32_t>(bytes, expected, pattern);
    case DType::kInt16:
      return CompareAs<std::int16_t>(bytes, expected, pattern);
    case DType::kInt8:
      return CompareAs<std::int8_t>(bytes, expected, pattern);
    case DType::kBool:
      return CompareAs<std::uint8_t>(bytes, expected, pattern);
    default:
      return CompareAs<float>(bytes, expected, pattern);
  }
}

std::string Describe(const Comparison& comparison, const TensorShape& shape,
                     const Expected& expected) {
  const std::size_t i = comparison.first_wrong.value_or(0);
  char numbers[160];
  std::snprintf(numbers, sizeof numbers,
                "got %.9g, expected %.9g, allowed error %.3g", comparison.got,
                expected.values[i], expected.allowed[i]);
  std::string text = "output " + ElementName(shape, i) + " (element " +
                     std::to_string(i) + "): " + numbers + "; " +
                     std::to_string(comparison.wrong) + " of " +
                     std::to_string(expected.values.size()) + " elements wrong";
  if (comparison.unwritten > 0) {
    text += ", " + std::to_string(comparison.unwritten) + " never written";
  }
  return text;
}

}  // namespace coppice::eval
