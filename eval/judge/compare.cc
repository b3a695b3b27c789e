#include "eval/judge/compare.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "eval/formats/half.h"
#include "store/records/formatted.h"

namespace coppice::eval {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// A float type, as the checks need it.
struct Format {
  double unit;      // u.
  double half_min;  // h.
  double overflow;  // What is this large or larger rounds to infinity.
};

std::optional<Format> FormatOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return Format{0x1p-24, 0x1p-150, 0x1.ffffffp127};
    case DType::kFloat64:  // h is half of that, which is no double.
      return Format{0x1p-53, 0x1p-1074, std::numeric_limits<double>::max()};
    case DType::kFloat16:
      return Format{0x1p-11, 0x1p-25, 65520.0};
    case DType::kBFloat16:
      return Format{0x1p-8, 0x1p-134, 0x1.ffp127};
    default:
      return std::nullopt;
  }
}

// Elements in memory, each with its value.
template <class T>
struct Plain {
  T bits;
  double value() const { return static_cast<double>(bits); }
};
struct Float16 {
  std::uint16_t bits;
  double value() const { return FromFloat16(bits); }
};
struct BFloat16 {
  std::uint16_t bits;
  double value() const { return FromBFloat16(bits); }
};

// REQUIRES: y or r is no finite number.  0 if y is of the class of r, else
// infinity or NaN.
double ClassDistance(double y, double r, double allowed, double overflow) {
  if (std::isnan(r)) {
    return std::isnan(y) && std::isinf(allowed)
               ? 0.0
               : std::numeric_limits<double>::quiet_NaN();
  }
  if (y == r) return 0.0;
  const bool could_overflow = std::abs(r) + allowed >= overflow;
  if (std::isinf(y) && could_overflow && std::signbit(y) == std::signbit(r)) {
    return 0.0;
  }
  return std::abs(y - r);
}

double WithoutSignIfNan(double value) {
  return std::isnan(value) ? kNan : value;
}

double NanAsInfinity(double value) {
  if (std::isnan(value)) return kInfinity;
  return value;
}

// Elements that are looked at together.  For nearly all, one look is enough, in
// which the processor compares several at a time.
constexpr std::size_t kTogether = 128;

// Where kTogether elements and what is expected of them lie.
struct Stretch {
  const std::byte* bytes;
  const double* values;
  const double* allowed;
};

// Whether all of them pass and none changes `result`.  There are no branches: a
// NaN on any side makes one of the comparisons say no.
template <class T>
[[gnu::always_inline]] inline bool NothingNewIn(
    const Stretch& at, const OutputComparison& result) {
  const double worst = result.worst_error_ratio;
  const double absolute = result.max_absolute_error;
  const double relative = result.max_relative_error;
  std::int64_t news = 0;
  for (std::size_t i = 0; i < kTogether; ++i) {
    T y;
    std::memcpy(&y, at.bytes + i * sizeof y, sizeof y);
    const double error = std::abs(y.value() - at.values[i]);
    news |= error <= at.allowed[i] ? 0 : -1;
    news |= error > worst * at.allowed[i] ? -1 : 0;
    news |= error > absolute ? -1 : 0;
    news |= error > relative * std::abs(at.values[i]) ? -1 : 0;
  }
  return news == 0;
}

using Look = bool(const Stretch&, const OutputComparison&);

// With the instructions that x86-64 processors have had since 2013, where there
// are any.
#if defined(__x86_64__)
template <class T>
[[gnu::target("avx2")]] bool NothingNewInWide(const Stretch& at,
                                              const OutputComparison& result) {
  return NothingNewIn<T>(at, result);
}

template <class T>
Look* FastestLook() {
  static const bool is_wide = __builtin_cpu_supports("avx2") != 0;
  return is_wide ? NothingNewInWide<T> : NothingNewIn<T>;
}
#else
template <class T>
Look* FastestLook() {
  return NothingNewIn<T>;
}
#endif

// The elements [begin, end), one by one.
template <class T>
void CompareEach(std::span<const std::byte> bytes, const Expected& expected,
                 std::uint64_t pattern, double overflow, std::size_t begin,
                 std::size_t end, OutputComparison& result) {
  for (std::size_t i = begin; i < end; ++i) {
    T y;
    std::memcpy(&y, bytes.data() + i * sizeof y, sizeof y);
    const double r = expected.values[i];
    const double allowed = expected.allowed[i];
    double error = std::abs(y.value() - r);
    if (!std::isfinite(error)) {
      error = ClassDistance(y.value(), r, allowed, overflow);
    }
    // Written so that a NaN on any side is wrong.
    if (error <= allowed) {
      if (error == 0.0) continue;
      // Dividing each by each would take most of the time of all checks.
      if (error > result.worst_error_ratio * allowed) {
        result.worst_error_ratio = error / allowed;
      }
    } else {
      ++result.wrong;
      const std::size_t at = i * sizeof y % sizeof pattern;
      const auto* poison = reinterpret_cast<const std::byte*>(&pattern) + at;
      if (std::memcmp(poison, bytes.data() + i * sizeof y, sizeof y) == 0)
        ++result.unwritten;
      if (!result.first_wrong) {
        result.first_wrong = i;
        result.got = y.value();
      }
      // Division by an allowed error of 0 gives the infinity that is meant.
      result.worst_error_ratio =
          std::max(result.worst_error_ratio, NanAsInfinity(error / allowed));
    }
    const double shown = NanAsInfinity(error);
    result.max_absolute_error = std::max(result.max_absolute_error, shown);
    if (shown > result.max_relative_error * std::abs(r) && r != 0.0) {
      result.max_relative_error = shown / std::abs(r);
    }
  }
}

template <class T>
OutputComparison CompareAs(std::span<const std::byte> bytes, DType dtype,
                           const Expected& expected, std::uint64_t pattern) {
  const auto format = FormatOf(dtype);
  double overflow = kInfinity;
  if (format) overflow = format->overflow;
  Look* const nothing_new = FastestLook<T>();
  OutputComparison result;
  const std::size_t count = expected.values.size();
  for (std::size_t begin = 0; begin < count; begin += kTogether) {
    const std::size_t end = std::min(count, begin + kTogether);
    const Stretch stretch{bytes.data() + begin * sizeof(T),
                          expected.values.data() + begin,
                          expected.allowed.data() + begin};
    if (end - begin == kTogether && nothing_new(stretch, result)) continue;
    CompareEach<T>(bytes, expected, pattern, overflow, begin, end, result);
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

double UnitRoundoff(DType dtype) {
  const auto format = FormatOf(dtype);
  return format ? format->unit : 0.0;
}

double AllowedError(double value, double magnitude, const Tolerance& tolerance,
                    DType dtype) {
  const auto format = FormatOf(dtype);
  if (std::isnan(value)) {
    const bool unwritten =
        std::bit_cast<std::uint64_t>(value) == kOracleUnwritten;
    if (unwritten) return kNan;
    return kInfinity;
  }
  if (!format || magnitude == 0.0) return 0.0;
  const double allowed =
      tolerance.factor * (format->unit * magnitude + format->half_min);
  return std::isinf(allowed) ? kNan : allowed;  // No bound at all.
}

Expected MakeExpected(std::vector<double> values,
                      std::span<const double> magnitudes,
                      const Tolerance& tolerance, DType dtype) {
  Expected expected{.values = std::move(values), .allowed = {}};
  const std::size_t count = magnitudes.size();
  expected.allowed.resize(count);
  const Format format = FormatOf(dtype).value_or(Format{});
  for (std::size_t begin = 0; begin < count; begin += kTogether) {
    const std::size_t end = std::min(count, begin + kTogether);
    // AllowedError(), but for what it says of exceptions.
    bool is_plain = format.unit > 0.0;
    for (std::size_t i = begin; i < end; ++i) {
      const double m = magnitudes[i];
      const double allowed =
          tolerance.factor * (format.unit * m + format.half_min);
      expected.allowed[i] = m == 0.0 ? 0.0 : allowed;
      is_plain &= allowed < kInfinity && !std::isnan(expected.values[i]);
    }
    if (is_plain) continue;
    for (std::size_t i = begin; i < end; ++i) {
      expected.allowed[i] =
          AllowedError(expected.values[i], magnitudes[i], tolerance, dtype);
    }
  }
  return expected;
}

OutputComparison Compare(std::span<const std::byte> bytes,
                         const TensorShape& shape, const Expected& expected,
                         std::uint64_t pattern) {
  const auto as = [&]<class T>(T) {
    return CompareAs<T>(bytes, shape.dtype, expected, pattern);
  };
  switch (shape.dtype) {
    case DType::kInt64:
      return as(Plain<std::int64_t>{});
    case DType::kInt32:
      return as(Plain<std::int32_t>{});
    case DType::kInt16:
      return as(Plain<std::int16_t>{});
    case DType::kInt8:
      return as(Plain<std::int8_t>{});
    case DType::kBool:
    case DType::kUInt8:
      return as(Plain<std::uint8_t>{});
    case DType::kUInt16:
      return as(Plain<std::uint16_t>{});
    case DType::kUInt32:
      return as(Plain<std::uint32_t>{});
    case DType::kFloat64:
      return as(Plain<double>{});
    case DType::kFloat16:
      return as(Float16{});
    case DType::kBFloat16:
      return as(BFloat16{});
    default:
      return as(Plain<float>{});
  }
}

double ElementValue(const std::byte* element, DType dtype) {
  const auto as = [element]<class T>(T value) {
    std::memcpy(&value, element, sizeof value);
    return value;
  };
  switch (dtype) {
    case DType::kInt64:
      return static_cast<double>(as(std::int64_t{}));
    case DType::kInt32:
      return as(std::int32_t{});
    case DType::kInt16:
      return as(std::int16_t{});
    case DType::kInt8:
      return as(std::int8_t{});
    case DType::kBool:
    case DType::kUInt8:
      return as(std::uint8_t{});
    case DType::kUInt16:
      return as(std::uint16_t{});
    case DType::kUInt32:
      return as(std::uint32_t{});
    case DType::kFloat64:
      return as(double{});
    case DType::kFloat16:
      return FromFloat16(as(std::uint16_t{}));
    case DType::kBFloat16:
      return FromBFloat16(as(std::uint16_t{}));
    default:
      return as(float{});
  }
}

std::string Describe(const Mismatch& mismatch, const TensorShape& shape) {
  const std::string numbers =
      Formatted("got %.9g, expected %.9g, allowed error %.3g",
                WithoutSignIfNan(mismatch.got),
                WithoutSignIfNan(mismatch.expected), mismatch.allowed);
  std::string text = "output " + ElementName(shape, mismatch.element) +
                     " (element " + std::to_string(mismatch.element) +
                     "): " + numbers + "; " + std::to_string(mismatch.wrong) +
                     " of " + std::to_string(shape.elements) +
                     " elements wrong";
  if (mismatch.unwritten > 0) {
    text += ", " + std::to_string(mismatch.unwritten) + " never written";
  }
  return text;
}

std::string Describe(const OutputComparison& comparison,
                     const TensorShape& shape, const Expected& expected) {
  const std::size_t i = comparison.first_wrong.value_or(0);
  return Describe(Mismatch{.element = i,
                           .got = comparison.got,
                           .expected = expected.values[i],
                           .allowed = expected.allowed[i],
                           .wrong = comparison.wrong,
                           .unwritten = comparison.unwritten},
                  shape);
}

}  // namespace coppice::eval
