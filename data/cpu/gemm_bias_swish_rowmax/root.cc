#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

// y[M] = row maxima of swish(scale * x[M,K] * w[K,N] + b[N])
extern "C" void run(const float* x, const float* w, const float* b, float scale,
                    float* y, int64_t M, int64_t N) {
  constexpr int64_t K = 256;
  std::vector<float> h(M * N);
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      float sum = 0.0f;
      for (int64_t k = 0; k < K; ++k) {
        sum += x[i * K + k] * w[k * N + j];
      }
      h[i * N + j] = scale * sum + b[j];
    }
  }
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      h[i * N + j] = h[i * N + j] / (1.0f + std::exp(-h[i * N + j]));
    }
  }
  for (int64_t i = 0; i < M; ++i) {
    float largest = h[i * N];
    for (int64_t j = 0; j < N; ++j) {
      largest = std::max(largest, h[i * N + j]);
    }
    y[i] = largest;
  }
}
