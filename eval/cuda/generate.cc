#include "eval/cuda/generate.h"

#include <array>
#include <cmath>
#include <cstring>
#include <numbers>

#include "eval/formats/half.h"
#include "eval/formats/shapes.h"
#include "store/records/random.h"

namespace coppice::eval::cuda {
namespace {

// Four elements are made together.
struct Block {
  std::array<std::uint32_t, 4> bits{};
  std::array<double, 4> normal{};
};

Block MakeBlock(std::uint64_t seed, std::uint32_t tensor,
                std::uint64_t number) {
  Block block;
  block.bits = Philox4x32({static_cast<std::uint32_t>(number),
                           static_cast<std::uint32_t>(number >> 32), tensor, 0},
                          {static_cast<std::uint32_t>(seed),
                           static_cast<std::uint32_t>(seed >> 32)});
  const auto unit = [&](std::size_t i) {
    return (static_cast<double>(block.bits[i]) + 0.5) * 0x1p-32;
  };
  for (std::size_t pair = 0; pair < 4; pair += 2) {  // Box and Muller 1958.
    const double radius = std::sqrt(-2.0 * std::log(unit(pair)));
    const double angle = 2.0 * std::numbers::pi * unit(pair + 1);
    block.normal[pair] = radius * std::cos(angle);
    block.normal[pair + 1] = radius * std::sin(angle);
  }
  return block;
}

template <class T>
void Store(T value, std::byte* at) {
  std::memcpy(at, &value, sizeof value);
}

void Put(DType dtype, std::uint32_t bits, double normal, std::byte* at) {
  const auto wide = static_cast<std::int16_t>(
      static_cast<std::int32_t>(bits >> 21) - 1024);  // In [-1024, 1024).
  const auto rounded = static_cast<float>(normal);
  switch (dtype) {
    case DType::kFloat16:
      return Store(ToFloat16(rounded), at);
    case DType::kBFloat16:
      return Store(ToBFloat16(rounded), at);
    case DType::kInt64:
      return Store(std::int64_t{wide}, at);
    case DType::kInt32:
      return Store(std::int32_t{wide}, at);
    case DType::kInt16:
      return Store(wide, at);
    case DType::kInt8:
      return Store(static_cast<std::uint8_t>(bits >> 24), at);
    case DType::kBool:
      return Store(static_cast<std::uint8_t>(bits >> 31), at);
    default:
      return Store(rounded, at);
  }
}

}  // namespace

std::vector<std::byte> Generate(DType dtype, std::uint64_t seed,
                                std::uint32_t tensor, std::uint64_t first,
                                std::size_t count) {
  const std::size_t element = ElementBytes(dtype);
  std::vector<std::byte> bytes(count * element);
  Block block;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t at = first + i;
    if (i == 0 || at % 4 == 0) block = MakeBlock(seed, tensor, at / 4);
    Put(dtype, block.bits[at % 4], block.normal[at % 4],
        bytes.data() + i * element);
  }
  return bytes;
}

}  // namespace coppice::eval::cuda
