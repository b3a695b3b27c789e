// y = largest of the 3x3 window around each pixel, inside the image.
//
// Error model: values are only chosen, so m = 0 and the bits must be equal.
#include <algorithm>
#include <cstdint>

extern "C" void oracle(const double* x, double* y, double* y_m, int64_t P,
                       int64_t H, int64_t W) {
  std::copy_n(x, P * H * W, y);
  std::fill_n(y_m, P * H * W, 0.0);
  for (int64_t c = 0; c < P; ++c) {
    for (int64_t i = 0; i < H; ++i) {
      double* out = y + (c * H + i) * W;
      const int64_t first = std::max<int64_t>(0, i - 1);
      const int64_t last = std::min(H - 1, i + 1);
      for (int64_t row = first; row <= last; ++row) {
        const double* in = x + (c * H + row) * W;
        for (int64_t j = 0; j < W; ++j) out[j] = std::max(out[j], in[j]);
        for (int64_t j = 1; j < W; ++j) out[j] = std::max(out[j], in[j - 1]);
        for (int64_t j = 1; j < W; ++j) {
          out[j - 1] = std::max(out[j - 1], in[j]);
        }
      }
    }
  }
}
