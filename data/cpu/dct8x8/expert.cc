// Separable: a product by the basis along the rows, then one along the columns,
// where even frequencies take the sums and odd ones the differences of opposite
// rows.  A vector holds eight columns; blocks on all threads.
#include <cmath>
#include <cstdint>
#include <numbers>

namespace {

constexpr int64_t S = 8;

struct Basis {
  float value[S][S];   // By frequency.
  float turned[S][S];  // By position.
  Basis() {
    for (int64_t u = 0; u < S; ++u) {
      for (int64_t i = 0; i < S; ++i) {
        const double scale = u == 0 ? std::sqrt(0.125) : 0.5;
        value[u][i] = static_cast<float>(
            scale * std::cos(static_cast<double>((2 * i + 1) * u) *
                             std::numbers::pi / 16.0));
        turned[i][u] = value[u][i];
      }
    }
  }
};

}  // namespace

extern "C" void run(const float* x, float* y, int64_t N) {
  static const Basis basis;
#pragma omp parallel for schedule(static)
  for (int64_t b = 0; b < N; ++b) {
    const float* in = x + b * S * S;
    float* out = y + b * S * S;
    alignas(64) float rows[S][S];  // x turned by the basis along its rows.
    for (int64_t i = 0; i < S; ++i) {
      alignas(32) float sum[S] = {};
      for (int64_t j = 0; j < S; ++j) {
#pragma omp simd
        for (int64_t v = 0; v < S; ++v) {
          sum[v] += in[i * S + j] * basis.turned[j][v];
        }
      }
      for (int64_t v = 0; v < S; ++v) rows[i][v] = sum[v];
    }
    for (int64_t i = 0; i < S / 2; ++i) {
#pragma omp simd
      for (int64_t v = 0; v < S; ++v) {
        const float a = rows[i][v];
        const float z = rows[S - 1 - i][v];
        rows[i][v] = a + z;
        rows[S - 1 - i][v] = a - z;
      }
    }
    for (int64_t u = 0; u < S; ++u) {
      alignas(32) float sum[S] = {};
      for (int64_t i = 0; i < S / 2; ++i) {
        const int64_t row = u % 2 == 0 ? i : S - 1 - i;
#pragma omp simd
        for (int64_t v = 0; v < S; ++v) {
          sum[v] += basis.value[u][i] * rows[row][v];
        }
      }
      for (int64_t v = 0; v < S; ++v) out[u * S + v] = sum[v];
    }
  }
}
