#include "eval/torch/verdicts.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "eval/formats/float8.h"
#include "eval/formats/half.h"
#include "eval/formats/shapes.h"
#include "eval/judge/call_channel.h"
#include "eval/judge/compare.h"
#include "eval/torch/kernel_worker.h"
#include "eval/torch/matching.h"

namespace coppice::eval::torch {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kKernelBenchTolerance = 1e-2;  // Of all 16-bit floats.

double ToleranceOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return 1e-4;
    case DType::kFloat16:
      return 1e-2;
    case DType::kBFloat16:
      return 0x1p-6;
    case DType::kFloat8E4M3FN:
      return 0x1p-3;
    case DType::kFloat8E5M2:
      return 0x1p-2;
    default:
      return 0.0;
  }
}

struct Float {
  float bits;
  double value() const { return bits; }
};
struct Half {
  std::uint16_t bits;
  double value() const { return FromFloat16(bits); }
};
struct Brain {
  std::uint16_t bits;
  double value() const { return FromBFloat16(bits); }
};
struct E4M3 {
  std::uint8_t bits;
  double value() const { return FromFloat8E4M3FN(bits); }
};
struct E5M2 {
  std::uint8_t bits;
  double value() const { return FromFloat8E5M2(bits); }
};
template <class T>
struct Integer {
  T bits;
  double value() const { return static_cast<double>(bits); }
};

template <class T>
bool IsEqual(T y, T r) {
  return y.value() == r.value();
}
// Not every double is told from the next by 64 bits: 2^53 and 2^53 + 1.
template <class T>
bool IsEqual(Integer<T> y, Integer<T> r) {
  return y.bits == r.bits;
}

// |y - r| <= allowed, by class.  NaN if the two are alike without a difference.
class Rod {
 public:
  Rod(const Rule& rule, DType dtype, double root_mean_square)
      : exact_(rule.protocol == Protocol::kBenchmark),
        tolerance_(ToleranceFor(dtype, rule)),
        scale_(rule.closeness
                   ? rule.closeness->absolute / rule.closeness->relative
               : exact_ ? 1.0
                        : root_mean_square) {}

  // The error over the allowed one; infinity for what never passes.
  // REQUIRES: the two are not equal.
  double Ratio(double y, double r) const {
    if (std::isnan(r) || std::isnan(y)) {
      return !exact_ && std::isnan(r) && std::isnan(y) ? 0.0 : kInfinity;
    }
    if (std::isinf(r) || std::isinf(y)) return kInfinity;
    const double allowed = tolerance_ * (scale_ + std::abs(exact_ ? y : r));
    const double ratio = std::abs(y - r) / allowed;
    if (std::isnan(ratio)) return kInfinity;
    return ratio;
  }

  double Allowed(double y, double r) const {
    return tolerance_ * (scale_ + std::abs(exact_ ? y : r));
  }

 private:
  bool exact_;  // As torch.allclose has it.
  double tolerance_;
  double scale_;
};

template <class T>
T At(const std::vector<std::byte>& bytes, std::size_t i) {
  T element;
  std::memcpy(&element, bytes.data() + i * sizeof element, sizeof element);
  return element;
}

template <class T>
double RootMeanSquare(const std::vector<std::byte>& bytes) {
  const std::size_t count = bytes.size() / sizeof(T);
  double sum = 0.0;
  std::size_t finite = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double r = At<T>(bytes, i).value();
    if (!std::isfinite(r)) continue;
    sum += r * r;
    ++finite;
  }
  return finite == 0 ? 0.0 : std::sqrt(sum / static_cast<double>(finite));
}

std::string NameOf(std::size_t output, std::size_t outputs) {
  return outputs == 1 ? "y" : "y" + std::to_string(output + 1);
}

template <class T>
void CompareElements(const Returned& y, const Returned& r, const Rule& rule,
                     std::size_t output, std::size_t outputs,
                     Judgement& judgement) {
  const Rod rod(rule, r.dtype, RootMeanSquare<T>(r.bytes));
  Mismatch mismatch;
  const std::size_t count = r.bytes.size() / sizeof(T);
  for (std::size_t i = 0; i < count; ++i) {
    const T own = At<T>(y.bytes, i);
    const T right = At<T>(r.bytes, i);
    const double got = own.value();
    const double expected = right.value();
    const double ratio = IsEqual(own, right) ? 0.0 : rod.Ratio(got, expected);
    if (ratio > judgement.worst_error_ratio) {
      judgement.worst_error_ratio = ratio;
    }
    const double error = ratio == 0.0 ? 0.0 : std::abs(got - expected);
    judgement.max_absolute_error = std::max(
        judgement.max_absolute_error, std::isnan(error) ? kInfinity : error);
    if (expected != 0.0) {
      const double relative = error / std::abs(expected);
      judgement.max_relative_error =
          std::max(judgement.max_relative_error,
                   std::isnan(relative) ? kInfinity : relative);
    }
    if (ratio <= 1.0) continue;
    if (mismatch.wrong++ == 0) {
      mismatch.element = i;
      mismatch.got = got;
      mismatch.expected = expected;
      mismatch.allowed = rod.Allowed(got, expected);
    }
  }
  if (mismatch.wrong == 0) return;
  const Judgement found = Differing(mismatch, r, output, outputs);
  judgement.verdict = found.verdict;
  judgement.log = found.log;
}

std::string ShapeOf(const Returned& tensor) {
  std::string text = "[";
  for (std::size_t i = 0; i < tensor.sizes.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(tensor.sizes[i]);
  }
  return text + "]";
}

Judgement Wrong(std::string log) {
  Judgement judgement;
  judgement.verdict = Verdict::kWrongOutput;
  judgement.log = std::move(log);
  judgement.worst_error_ratio = kInfinity;
  return judgement;
}

}  // namespace

double ToleranceFor(DType dtype, const Rule& rule) {
  if (rule.closeness && ToleranceOf(dtype) > 0.0) {
    return rule.closeness->relative;
  }
  if (rule.protocol != Protocol::kBenchmark) return ToleranceOf(dtype);
  return std::min(ToleranceOf(rule.precision), kKernelBenchTolerance);
}

Judgement Differing(const Mismatch& mismatch, const Returned& expected,
                    std::size_t i, std::size_t outputs) {
  Judgement judgement;
  judgement.verdict = Verdict::kWrongOutput;
  TensorShape shape{.name = NameOf(i, outputs),
                    .dtype = expected.dtype,
                    .scalar = false,
                    .dims = expected.sizes,
                    .elements = 1};
  for (const std::int64_t size : expected.sizes) {
    shape.elements *= static_cast<std::size_t>(size);
  }
  judgement.log = Describe(mismatch, shape);
  return judgement;
}

Judgement CompareShapes(const std::vector<Returned>& returned,
                        const std::vector<Returned>& expected) {
  if (returned.size() != expected.size()) {
    return Wrong("it returned " + std::to_string(returned.size()) +
                 " tensors, not " + std::to_string(expected.size()));
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::string name = NameOf(i, expected.size());
    if (returned[i].sizes != expected[i].sizes) {
      return Wrong("output " + name + std::string(kOtherShape) +
                   ShapeOf(returned[i]) + ", not " + ShapeOf(expected[i]));
    }
    const std::string type = TypeOf(returned[i]);
    if (type != TypeOf(expected[i])) {
      return Wrong("output " + name + std::string(kOtherType) + ": " + type +
                   ", not " + TypeOf(expected[i]));
    }
  }
  return {};
}

Judgement Compare(const std::vector<Returned>& returned,
                  const std::vector<Returned>& expected, const Rule& rule) {
  Judgement judgement = CompareShapes(returned, expected);
  if (judgement.verdict != Verdict::kPassed) return judgement;
  const std::size_t outputs = expected.size();
  for (std::size_t i = 0; i < outputs; ++i) {
    const Returned& y = returned[i];
    const Returned& r = expected[i];
    if (y.bytes.size() != r.bytes.size()) {
      return Wrong("output " + NameOf(i, outputs) +
                   " lies nowhere in its memory");
    }
    if (rule.matching) {
      Match(y, r, *rule.matching, i, outputs, judgement);
      if (judgement.verdict != Verdict::kPassed) return judgement;
      continue;
    }
    switch (r.dtype) {
      case DType::kFloat32:
        CompareElements<Float>(y, r, rule, i, outputs, judgement);
        break;
      case DType::kFloat16:
        CompareElements<Half>(y, r, rule, i, outputs, judgement);
        break;
      case DType::kBFloat16:
        CompareElements<Brain>(y, r, rule, i, outputs, judgement);
        break;
      case DType::kInt64:
        CompareElements<Integer<std::int64_t>>(y, r, rule, i, outputs,
                                               judgement);
        break;
      case DType::kInt32:
        CompareElements<Integer<std::int32_t>>(y, r, rule, i, outputs,
                                               judgement);
        break;
      case DType::kInt16:
        CompareElements<Integer<std::int16_t>>(y, r, rule, i, outputs,
                                               judgement);
        break;
      case DType::kFloat8E4M3FN:
        CompareElements<E4M3>(y, r, rule, i, outputs, judgement);
        break;
      case DType::kFloat8E5M2:
        CompareElements<E5M2>(y, r, rule, i, outputs, judgement);
        break;
      case DType::kInt8:
      case DType::kBool:
      case DType::kFloat4E2M1:  // By their bits.
      case DType::kFloat64:     // These four are no definition's in Python.
      case DType::kUInt8:
      case DType::kUInt16:
      case DType::kUInt32:
        CompareElements<Integer<std::int8_t>>(y, r, rule, i, outputs,
                                              judgement);
        break;
    }
    if (judgement.verdict != Verdict::kPassed) return judgement;
  }
  return judgement;
}

}  // namespace coppice::eval::torch
