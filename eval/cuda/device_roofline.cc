#include "eval/cuda/device_roofline.h"

#include <algorithm>
#include <optional>

namespace coppice::eval::cuda {
namespace {

// Operations on halves, for each multiprocessor and clock, follow from the
// peak: V100 125 TFLOP/s with 80 at 1.53 GHz, T4 65 with 40 at 1.59, A100 312
// with 108 at 1.41, A10 125 with 72 at 1.70, L40S 362 with 142 at 2.52, H100
// 989 with 132 at 1.83, B200 2250 with 148 at 1.85.  None for others; 0: it has
// no tensor cores.
std::optional<double> TensorFlopsPerClock(const DeviceIdentity& identity) {
  const int capability = 10 * identity.compute_major + identity.compute_minor;
  if (capability < 70) return 0.0;
  switch (capability) {
    case 70:
    case 75:
    case 86:
    case 89:
      return 1024.0;
    case 80:
      return 2048.0;
    case 90:
      return 4096.0;
    case 100:
      return 8192.0;
    default:
      return std::nullopt;
  }
}

// How many products of halves one of such inputs takes.
double Products(const Shapes& shapes) {
  double products = 2.0;
  for (const TensorShape& input : shapes.inputs) {
    switch (input.dtype) {
      case DType::kFloat16:
      case DType::kBFloat16:
        products = std::min(products, 1.0);
        break;
      case DType::kFloat8E4M3FN:
      case DType::kFloat8E5M2:
      case DType::kInt8:
        products = std::min(products, 0.5);
        break;
      default:
        break;
    }
  }
  return products;
}

}  // namespace

double LeastBytes(const Shapes& shapes, const Abilities& abilities) {
  const auto in = static_cast<double>(BytesOf(shapes.inputs));
  const auto out = static_cast<double>(BytesOf(shapes.outputs));
  return std::max(in, in + out - static_cast<double>(abilities.l2_bytes));
}

double PeakFlops(const DeviceIdentity& identity, const Abilities& abilities,
                 const Shapes& shapes) {
  const auto tensor = TensorFlopsPerClock(identity);
  if (!tensor) return 0.0;
  return std::max(static_cast<double>(abilities.fma_flops),
                  *tensor * static_cast<double>(abilities.multiprocessors) *
                      static_cast<double>(abilities.clock_hz) /
                      Products(shapes));
}

}  // namespace coppice::eval::cuda
