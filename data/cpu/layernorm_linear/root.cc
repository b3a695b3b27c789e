#include <cmath>
#include <cstdint>
#include <vector>

// y[M,N] = layernorm(x[M,K]) * w[N,K]^T + b[N]
extern "C" void run(const float* x, const float* gamma, const float* beta,
                    const float* w, const float* b, float* y, int64_t M) {
  constexpr int64_t N = 200;
  constexpr int64_t K = 256;
  constexpr float kEpsilon = 1e-5f;
  std::vector<float> h(M * K);
  for (int64_t i = 0; i < M; ++i) {
    float sum = 0.0f;
    for (int64_t k = 0; k < K; ++k) {
      sum += x[i * K + k];
    }
    float mean = sum / static_cast<float>(K);
    float squares = 0.0f;
    for (int64_t k = 0; k < K; ++k) {
      squares += (x[i * K + k] - mean) * (x[i * K + k] - mean);
    }
    float variance = squares / static_cast<float>(K);
    float scale = 1.0f / std::sqrt(variance + kEpsilon);
    for (int64_t k = 0; k < K; ++k) {
      h[i * K + k] = (x[i * K + k] - mean) * scale * gamma[k] + beta[k];
    }
  }
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      float sum = b[j];
      for (int64_t k = 0; k < K; ++k) {
        sum += h[i * K + k] * w[j * K + k];
      }
      y[i * N + j] = sum;
    }
  }
}
