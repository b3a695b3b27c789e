// y = 3x3 convolution (cross-correlation) of x with w, zero padding 1.
//
// Error model.  Each output is a dot product of n = 9 C terms, fewer at the
// border, so as for a matrix product (Higham and Mary 2019, theorem 3.1)
//   m = sqrt(n) sum|x w|.
#include <algorithm>
#include <cmath>
#include <cstdint>

extern "C" void oracle(const double* x, const double* w, double* y, double* y_m,
                       int64_t B, int64_t H, int64_t W) {
  constexpr int64_t C = 16;
  constexpr int64_t K = 16;
  const double growth = std::sqrt(9.0 * C);
  for (int64_t b = 0; b < B; ++b) {
    for (int64_t k = 0; k < K; ++k) {
      double* out = y + (b * K + k) * H * W;
      double* out_m = y_m + (b * K + k) * H * W;
      std::fill_n(out, H * W, 0.0);
      std::fill_n(out_m, H * W, 0.0);
      for (int64_t tap = 0; tap < C * 9; ++tap) {
        const double weight = w[k * C * 9 + tap];
        const double* plane = x + (b * C + tap / 9) * H * W;
        const int64_t down = tap / 3 % 3 - 1;
        const int64_t right = tap % 3 - 1;
        const int64_t first = std::max<int64_t>(0, -right);
        const int64_t last = std::min(W, W - right);
        for (int64_t i = 0; i < H; ++i) {
          if (i + down < 0 || i + down >= H) continue;
          const double* in = plane + (i + down) * W + right;
          for (int64_t j = first; j < last; ++j) {
            const double term = in[j] * weight;
            out[i * W + j] += term;
            out_m[i * W + j] += std::abs(term);
          }
        }
      }
      for (int64_t i = 0; i < H * W; ++i) out_m[i] *= growth;
    }
  }
}
