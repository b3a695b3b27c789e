#include "eval/judge/inputs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <span>
#include <string>

#include "eval/formats/half.h"
#include "eval/formats/safetensors.h"

namespace coppice::eval {
namespace {

// SplitMix64: Steele, Lea, Flood 2014, "Fast splittable pseudorandom number
// generators", OOPSLA.
class SplitMix {
 public:
  explicit SplitMix(std::uint64_t seed) : state_(seed) {}
  std::uint64_t Next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  double Uniform() { return OpenUnit(Next()); }

 private:
  std::uint64_t state_;
};

constexpr std::size_t kLayers = 256;

// The right edges x_i of the layers and the density there; x_0 is the width
// of the bottom layer, tail included.
struct Ziggurat {
  static constexpr double kTail = 3.6541528853610088;
  static constexpr double kArea = 0.00492867323399;

  std::array<double, kLayers + 1> x{};
  std::array<double, kLayers + 1> density{};

  Ziggurat() {
    const auto f = [](double t) { return std::exp(-0.5 * t * t); };
    x[0] = kArea / f(kTail);
    x[1] = kTail;
    for (std::size_t i = 2; i < kLayers; ++i) {
      x[i] = std::sqrt(-2.0 * std::log(kArea / x[i - 1] + f(x[i - 1])));
    }
    for (std::size_t i = 0; i <= kLayers; ++i) density[i] = f(x[i]);
  }
};

// Draws from the tail beyond kTail (Marsaglia 1964).
double Tail(SplitMix& random) {
  while (true) {
    const double a = -std::log(random.Uniform()) / Ziggurat::kTail;
    const double b = -std::log(random.Uniform());
    if (2.0 * b > a * a) return Ziggurat::kTail + a;
  }
}

std::size_t Row(const TensorShape& shape) {
  return shape.dims.empty() ? 1 : static_cast<std::size_t>(shape.dims.back());
}

// Whatever the distribution made of values that were.
void KeepWithin(const ValueRange& range, std::vector<std::int64_t>& values) {
  for (std::int64_t& value : values) {
    value = std::clamp(value, range.low, range.high);
  }
  if (range.ascending) std::ranges::sort(values);
}

template <class T>
void FillUniform(const TensorShape& shape, std::uint64_t seed, std::int64_t low,
                 std::uint64_t span, Distribution distribution,
                 std::byte* bytes) {
  SplitMix random(seed);
  std::vector<std::int64_t> values(shape.elements);
  for (std::int64_t& value : values) {
    // The high half of a 32-bit product: bias below 2^-21 for the spans of
    // types.
    const std::uint64_t offset = (random.Next() >> 32) * span >> 32;
    value = low + static_cast<std::int64_t>(offset);
  }
  Reshape(distribution, random.Next(), Row(shape), values);
  if (shape.range) KeepWithin(*shape.range, values);
  if (shape.form) {
    const ValueRange ends = shape.range.value_or(ValueRange{});
    GiveForm(*shape.form, random.Next(), ends.low, ends.high, values);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const T value = static_cast<T>(values[i]);
    std::memcpy(bytes + i * sizeof value, &value, sizeof value);
  }
}

template <class Convert>
void PutHalves(const std::vector<float>& values, Convert convert,
               std::byte* bytes) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint16_t half = convert(values[i]);
    std::memcpy(bytes + i * sizeof half, &half, sizeof half);
  }
}

// Whether no bit of the inputs may be another.
bool IsExact(Distribution distribution) {
  return distribution == Distribution::kZeros ||
         distribution == Distribution::kTies ||
         distribution == Distribution::kSorted;
}

// Puts doubles with all the bits that they have: a float32 has half of them.
void PutDoubles(const std::vector<float>& values, bool is_exact,
                std::uint64_t seed, std::byte* bytes) {
  SplitMix random(~seed);
  for (std::size_t i = 0; i < values.size(); ++i) {
    double value = values[i];
    if (!is_exact) value *= 1.0 + 0x1p-24 * (random.Uniform() - 0.5);
    std::memcpy(bytes + i * sizeof value, &value, sizeof value);
  }
}

void FillFloats(const TensorShape& shape, std::uint64_t seed,
                Distribution distribution, std::byte* bytes) {
  const std::size_t count = shape.elements;
  const std::uint64_t places = SplitMix(~seed).Next();
  if (shape.dtype == DType::kFloat32) {
    auto* values = reinterpret_cast<float*>(bytes);
    FillNormal(seed, values, count);
    Reshape(distribution, shape.dtype, places, Row(shape),
            std::span(values, count));
    if (shape.form) GiveForm(*shape.form, Row(shape), std::span(values, count));
    return;
  }
  std::vector<float> values(count);
  FillNormal(seed, values.data(), count);
  if (shape.dtype == DType::kFloat64) {
    Reshape(distribution, DType::kFloat32, places, Row(shape), values);
    if (shape.form) GiveForm(*shape.form, Row(shape), values);
    const bool is_exact = IsExact(distribution) || shape.form.has_value();
    return PutDoubles(values, is_exact, places, bytes);
  }
  Reshape(distribution, shape.dtype, places, Row(shape), values);
  if (shape.form) GiveForm(*shape.form, Row(shape), values);
  PutHalves(values, shape.dtype == DType::kFloat16 ? ToFloat16 : ToBFloat16,
            bytes);
}

void FillRandom(const TensorShape& shape, std::uint64_t seed,
                Distribution distribution, std::byte* bytes) {
  const auto fill = [&]<class T>(T, std::int64_t low, std::uint64_t span) {
    if (shape.range) {
      low = shape.range->low;
      span = static_cast<std::uint64_t>(shape.range->high - low) + 1;
    }
    FillUniform<T>(shape, seed, low, span, distribution, bytes);
  };
  switch (shape.dtype) {
    case DType::kInt64:
      return fill(std::int64_t{}, -1024, 2048);
    case DType::kInt32:
      return fill(std::int32_t{}, -1024, 2048);
    case DType::kInt16:
      return fill(std::int16_t{}, -1024, 2048);
    case DType::kInt8:
      return fill(std::int8_t{}, -128, 256);
    case DType::kBool:
      return fill(std::uint8_t{}, 0, 2);
    case DType::kUInt8:
      return fill(std::uint8_t{}, 0, 256);
    case DType::kUInt16:
      return fill(std::uint16_t{}, 0, 2048);
    case DType::kUInt32:
      return fill(std::uint32_t{}, 0, 2048);
    default:
      return FillFloats(shape, seed, distribution, bytes);
  }
}

// Chooses the inputs that have the distribution.
std::vector<bool> Choose(std::size_t inputs, std::uint64_t random) {
  std::vector<bool> chosen(inputs);
  const bool all = (random >> 63) != 0;
  for (std::size_t i = 0; i < inputs; ++i) {
    chosen[i] = all || ((random >> i % 32) & 1) != 0;
  }
  if (inputs > 0) chosen[(random >> 32) % inputs] = true;
  return chosen;
}

template <class T>
void Put(T value, std::vector<std::byte>& cell) {
  std::memcpy(cell.data(), &value, sizeof value);
}

// A stated scalar as the dtype of its parameter.
void PutScalar(const ScalarInput& scalar, DType dtype,
               std::vector<std::byte>& cell) {
  std::visit(
      [&](auto value) {
        switch (dtype) {
          case DType::kInt64:
            return Put(static_cast<std::int64_t>(value), cell);
          case DType::kInt32:
            return Put(static_cast<std::int32_t>(value), cell);
          case DType::kInt16:
            return Put(static_cast<std::int16_t>(value), cell);
          case DType::kInt8:
            return Put(static_cast<std::int8_t>(value), cell);
          case DType::kBool:
            return Put(static_cast<std::uint8_t>(value != 0), cell);
          case DType::kUInt8:
            return Put(static_cast<std::uint8_t>(value), cell);
          case DType::kUInt16:
            return Put(static_cast<std::uint16_t>(value), cell);
          case DType::kUInt32:
            return Put(static_cast<std::uint32_t>(value), cell);
          case DType::kFloat64:
            return Put(static_cast<double>(value), cell);
          default:
            return Put(static_cast<float>(value), cell);
        }
      },
      scalar.value);
}

// An input that the workload does not mention is random, as in
// FlashInfer-Bench.
InputSpec SpecOf(const Workload& workload, const std::string& name) {
  for (const auto& [input, spec] : workload.inputs) {
    if (input == name) return spec;
  }
  return RandomInput{};
}

template <class From, class To>
std::vector<std::byte> Convert(const std::vector<std::byte>& bytes,
                               std::size_t count) {
  std::vector<std::byte> wide(count * sizeof(To));
  for (std::size_t i = 0; i < count; ++i) {
    From value;
    std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
    // An int8 is a number here, not a character.
    // NOLINTNEXTLINE(bugprone-signed-char-misuse)
    const To converted = static_cast<To>(value);
    std::memcpy(wide.data() + i * sizeof converted, &converted,
                sizeof converted);
  }
  return wide;
}

template <class FromHalf>
std::vector<std::byte> WidenHalves(const std::vector<std::byte>& bytes,
                                   std::size_t count, FromHalf from) {
  std::vector<std::byte> wide(count * sizeof(double));
  for (std::size_t i = 0; i < count; ++i) {
    std::uint16_t half;
    std::memcpy(&half, bytes.data() + i * sizeof half, sizeof half);
    const double value = from(half);
    std::memcpy(wide.data() + i * sizeof value, &value, sizeof value);
  }
  return wide;
}

}  // namespace

void FillNormal(std::uint64_t seed, float* values, std::size_t count) {
  static const Ziggurat ziggurat;
  SplitMix random(seed);
  for (std::size_t i = 0; i < count;) {
    const std::uint64_t bits = random.Next();
    const std::size_t layer = bits % kLayers;
    // The upper 53 bits, signed, in [-1, 1).
    const double signed_unit =
        static_cast<double>(static_cast<std::int64_t>(bits) >> 11) * 0x1p-52;
    double x = signed_unit * ziggurat.x[layer];
    if (std::abs(x) >= ziggurat.x[layer + 1]) {
      if (layer == 0) {
        x = std::copysign(Tail(random), x);
      } else {
        const double low = ziggurat.density[layer];
        const double height =
            low + random.Uniform() * (ziggurat.density[layer + 1] - low);
        if (height >= std::exp(-0.5 * x * x)) continue;
      }
    }
    values[i++] = static_cast<float>(x);
  }
}

Result<InputBytes> MakeInputs(const Shapes& shapes, const Workload& workload,
                              RandomStream& stream, Distribution distribution) {
  // Scalars are parameters rather than data.
  std::vector<std::size_t> tensors;
  for (std::size_t i = 0; i < shapes.inputs.size(); ++i) {
    const TensorShape& shape = shapes.inputs[i];
    if (!shape.scalar &&
        std::holds_alternative<RandomInput>(SpecOf(workload, shape.name))) {
      tensors.push_back(i);
    }
  }
  std::vector<Distribution> distributions(shapes.inputs.size());
  if (distribution != Distribution::kPlain) {
    const std::vector<bool> chosen = Choose(tensors.size(), stream.NextU64());
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      if (chosen[i]) distributions[tensors[i]] = distribution;
    }
  }
  InputBytes inputs;
  for (const TensorShape& shape : shapes.inputs) {
    const std::uint64_t seed = stream.NextU64();
    const std::size_t bytes = shape.elements * ElementBytes(shape.dtype);
    std::vector<std::byte> input(shape.scalar ? 8 : bytes);
    const InputSpec spec = SpecOf(workload, shape.name);
    if (const auto* scalar = std::get_if<ScalarInput>(&spec)) {
      if (!shape.scalar) {
        return Fail(Errc::kUsage, "workload " + workload.uuid + ": input " +
                                      shape.name +
                                      ": a scalar for a tensor parameter");
      }
      PutScalar(*scalar, shape.dtype, input);
    } else if (const auto* file = std::get_if<SafetensorsInput>(&spec)) {
      TRY_DONE(ReadSafetensor(*file, shape, input));
    } else {
      FillRandom(shape, seed, distributions[inputs.size()], input.data());
    }
    inputs.push_back(std::move(input));
  }
  return inputs;
}

std::vector<std::byte> Widen(const std::vector<std::byte>& bytes,
                             const TensorShape& shape) {
  const std::size_t count = shape.elements;
  switch (shape.dtype) {
    case DType::kInt64:
      return Convert<std::int64_t, std::int64_t>(bytes, count);
    case DType::kInt32:
      return Convert<std::int32_t, std::int64_t>(bytes, count);
    case DType::kInt16:
      return Convert<std::int16_t, std::int64_t>(bytes, count);
    case DType::kInt8:
      return Convert<std::int8_t, std::int64_t>(bytes, count);
    case DType::kBool:
    case DType::kUInt8:
      return Convert<std::uint8_t, std::int64_t>(bytes, count);
    case DType::kUInt16:
      return Convert<std::uint16_t, std::int64_t>(bytes, count);
    case DType::kUInt32:
      return Convert<std::uint32_t, std::int64_t>(bytes, count);
    case DType::kFloat64:
      return Convert<double, double>(bytes, count);
    case DType::kFloat16:
      return WidenHalves(bytes, count, FromFloat16);
    case DType::kBFloat16:
      return WidenHalves(bytes, count, FromBFloat16);
    default:
      return Convert<float, double>(bytes, count);
  }
}

}  // namespace coppice::eval
