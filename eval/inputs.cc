#include "eval/inputs.h"

#include <array>
#include <cmath>
#include <cstring>
#include <string>

#include "eval/safetensors.h"

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

// From the tail beyond kTail (Marsaglia 1964).
double Tail(SplitMix& random) {
  while (true) {
    const double a = -std::log(random.Uniform()) / Ziggurat::kTail;
    const double b = -std::log(random.Uniform());
    if (2.0 * b > a * a) return Ziggurat::kTail + a;
  }
}

template <class T>
void FillUniform(SplitMix& random, std::int64_t low, std::uint64_t span,
                 std::byte* bytes, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    // The high half of a 32-bit product: bias below 2^-21 for these spans.
    const std::uint64_t offset = (random.Next() >> 32) * span >> 32;
    const T value = static_cast<T>(low + static_cast<std::int64_t>(offset));
    std::memcpy(bytes + i * sizeof value, &value, sizeof value);
  }
}

void FillRandom(const TensorShape& shape, std::uint64_t seed,
                std::byte* bytes) {
  SplitMix random(seed);
  switch (shape.dtype) {
    case DType::kInt64:
      return FillUniform<std::int64_t>(random, -1024, 2048, bytes,
                                       shape.elements);
    case DType::kInt32:
      return FillUniform<std::int32_t>(random, -1024, 2048, bytes,
                                       shape.elements);
    case DType::kInt16:
      return FillUniform<std::int16_t>(random, -1024, 2048, bytes,
                                       shape.elements);
    case DType::kInt8:
      return FillUniform<std::int8_t>(random, -128, 256, bytes, shape.elements);
    case DType::kBool:
      return FillUniform<std::uint8_t>(random, 0, 2, bytes, shape.elements);
    default:
      return FillNormal(seed, reinterpret_cast<float*>(bytes), shape.elements);
  }
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
                              RandomStream& stream) {
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
      FillRandom(shape, seed, input.data());
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
      return Convert<std::uint8_t, std::int64_t>(bytes, count);
    default:
      return Convert<float, double>(bytes, count);
  }
}

}  // namespace coppice::eval
