#include <cmath>
#include <cstdint>

// y[N,8,8] = two-dimensional cosine transform (DCT-II, orthonormal) of each
// block of x[N,8,8]
extern "C" void run(const float* x, float* y, int64_t N) {
  constexpr int64_t S = 8;
  float basis[64];
  for (int64_t u = 0; u < S; ++u) {
    for (int64_t i = 0; i < S; ++i) {
      float scale = u == 0 ? 0.353553391f : 0.5f;
      float angle = static_cast<float>((2 * i + 1) * u % 32) * 0.196349541f;
      basis[u * S + i] = scale * cosf(angle);
    }
  }
  for (int64_t b = 0; b < N; ++b) {
    for (int64_t u = 0; u < S; ++u) {
      for (int64_t v = 0; v < S; ++v) {
        float sum = 0.0f;
        for (int64_t i = 0; i < S; ++i) {
          for (int64_t j = 0; j < S; ++j) {
            sum += x[(b * S + i) * S + j] * basis[u * S + i] * basis[v * S + j];
          }
        }
        y[(b * S + u) * S + v] = sum;
      }
    }
  }
}
