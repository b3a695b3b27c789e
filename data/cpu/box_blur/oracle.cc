// The mean of the pixels within R rows and columns, inside the image.
//
// Error model: a sum of n terms in any order (Higham and Mary 2019, theorem
// 3.1), and a division,
//   m = sqrt(n) sum|x| / n + |mean|.
#include <algorithm>
#include <cmath>
#include <cstdint>

extern "C" void oracle(const double* x, double* y, double* y_m, int64_t H,
                       int64_t W) {
  constexpr int64_t R = 5;
  for (int64_t i = 0; i < H; ++i) {
    for (int64_t j = 0; j < W; ++j) {
      double sum = 0.0;
      double terms = 0.0;
      double n = 0.0;
      for (int64_t row = std::max<int64_t>(i - R, 0);
           row <= std::min(i + R, H - 1); ++row) {
        for (int64_t column = std::max<int64_t>(j - R, 0);
             column <= std::min(j + R, W - 1); ++column) {
          sum += x[row * W + column];
          terms += std::abs(x[row * W + column]);
          n += 1.0;
        }
      }
      y[i * W + j] = sum / n;
      y_m[i * W + j] = terms / std::sqrt(n) + std::abs(sum / n);
    }
  }
}
