#include <cmath>
#include <cstdint>
#include <vector>

// y[L,D] = x + s2 * gelu(s1 * rmsnorm(x, g[D]) * w1[D,F] + b1[F]) * w2[F,D]
//          + b2[D],  gelu in tanh form
extern "C" void run(const float* x, const float* g, const float* w1,
                    const float* b1, const float* w2, const float* b2, float s1,
                    float s2, float* y, int64_t L) {
  constexpr int64_t D = 128;
  constexpr int64_t F = 512;
  constexpr float kEpsilon = 1e-6f;
  std::vector<float> n(L * D);
  std::vector<float> h(L * F);
  for (int64_t i = 0; i < L; ++i) {
    float squares = 0.0f;
    for (int64_t d = 0; d < D; ++d) {
      squares += x[i * D + d] * x[i * D + d];
    }
    float scale = 1.0f / std::sqrt(squares / static_cast<float>(D) + kEpsilon);
    for (int64_t d = 0; d < D; ++d) {
      n[i * D + d] = x[i * D + d] * scale * g[d];
    }
  }
  for (int64_t i = 0; i < L; ++i) {
    for (int64_t f = 0; f < F; ++f) {
      float sum = 0.0f;
      for (int64_t d = 0; d < D; ++d) {
        sum += n[i * D + d] * w1[d * F + f];
      }
      h[i * F + f] = s1 * sum + b1[f];
    }
  }
  for (int64_t i = 0; i < L; ++i) {
    for (int64_t f = 0; f < F; ++f) {
      float z = h[i * F + f];
      float inner = 0.7978845608f * (z + 0.044715f * z * z * z);
      h[i * F + f] = 0.5f * z * (1.0f + std::tanh(inner));
    }
  }
  for (int64_t i = 0; i < L; ++i) {
    for (int64_t d = 0; d < D; ++d) {
      float sum = 0.0f;
      for (int64_t f = 0; f < F; ++f) {
        sum += h[i * F + f] * w2[f * D + d];
      }
      y[i * D + d] = x[i * D + d] + s2 * sum + b2[d];
    }
  }
}
