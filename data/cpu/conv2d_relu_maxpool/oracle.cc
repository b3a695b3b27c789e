// y = 2x2 max-pooling of relu(conv(x, w) + bias).
//
// Error model.  The convolution is a sum of n = 9 C + 1 terms (Higham and Mary
// 2019, theorem 3.1): m = sqrt(n) (sum|x w| + |bias|).  relu and max never
// enlarge an error, but may choose another element of the window, so the
// largest m of the window is taken.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

extern "C" void oracle(const double* x, const double* w, const double* bias,
                       double* y, double* y_m, int64_t B, int64_t H,
                       int64_t W) {
  constexpr int64_t C = 8;
  constexpr int64_t K = 16;
  const double growth = std::sqrt(9.0 * C + 1.0);
  const int64_t rows = 2 * H;
  const int64_t columns = 2 * W;
  std::vector<double> h(rows * columns);
  std::vector<double> h_m(rows * columns);
  for (int64_t plane = 0; plane < B * K; ++plane) {
    const int64_t b = plane / K;
    const int64_t k = plane % K;
    std::fill(h.begin(), h.end(), bias[k]);
    std::fill(h_m.begin(), h_m.end(), std::abs(bias[k]));
    for (int64_t tap = 0; tap < C * 9; ++tap) {
      const double weight = w[k * C * 9 + tap];
      const double* image = x + (b * C + tap / 9) * rows * columns;
      const int64_t down = tap / 3 % 3 - 1;
      const int64_t right = tap % 3 - 1;
      const int64_t first = std::max<int64_t>(0, -right);
      const int64_t last = std::min(columns, columns - right);
      for (int64_t i = 0; i < rows; ++i) {
        if (i + down < 0 || i + down >= rows) continue;
        const double* in = image + (i + down) * columns + right;
        for (int64_t j = first; j < last; ++j) {
          const double term = in[j] * weight;
          h[i * columns + j] += term;
          h_m[i * columns + j] += std::abs(term);
        }
      }
    }
    for (int64_t i = 0; i < H; ++i) {
      for (int64_t j = 0; j < W; ++j) {
        const int64_t top = 2 * i * columns + 2 * j;
        const int64_t bottom = top + columns;
        y[(plane * H + i) * W + j] =
            std::max({0.0, h[top], h[top + 1], h[bottom], h[bottom + 1]});
        y_m[(plane * H + i) * W + j] =
            growth *
            std::max({h_m[top], h_m[top + 1], h_m[bottom], h_m[bottom + 1]});
      }
    }
  }
}
