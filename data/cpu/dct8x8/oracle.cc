// The two-dimensional DCT-II of blocks of 8x8, orthonormal.
//
// Error model.  Each output is a sum of n = 64 products with weights of at most
// c(u) c(v), c(0) = sqrt(1/8) and otherwise 1/2.  Fast and separable
// algorithms pass through sums of all of a block's elements, so
//   m = sqrt(n) c(u) c(v) sum|x|,
// and sqrt(2 n) 2^-126 for 2 n products that underflow, each off by 2^-150.
#include <cmath>
#include <cstdint>
#include <numbers>

extern "C" void oracle(const double* x, double* y, double* y_m, int64_t N) {
  constexpr int64_t S = 8;
  double basis[S][S];
  double scale[S];
  const double underflow = std::sqrt(2.0 * S * S) * 0x1p-126;
  for (int64_t u = 0; u < S; ++u) {
    scale[u] = u == 0 ? std::sqrt(0.125) : 0.5;
    for (int64_t i = 0; i < S; ++i) {
      basis[u][i] = scale[u] * std::cos(static_cast<double>((2 * i + 1) * u) *
                                        std::numbers::pi / 16.0);
    }
  }
  for (int64_t b = 0; b < N; ++b) {
    const double* block = x + b * S * S;
    double size = 0.0;
    for (int64_t i = 0; i < S * S; ++i) size += std::abs(block[i]);
    for (int64_t u = 0; u < S; ++u) {
      for (int64_t v = 0; v < S; ++v) {
        double sum = 0.0;
        for (int64_t i = 0; i < S; ++i) {
          for (int64_t j = 0; j < S; ++j) {
            sum += block[i * S + j] * basis[u][i] * basis[v][j];
          }
        }
        y[(b * S + u) * S + v] = sum;
        y_m[(b * S + u) * S + v] = 8.0 * scale[u] * scale[v] * size + underflow;
      }
    }
  }
}
