#include <cmath>
#include <cstdint>

// y[M,N] = gelu(scale * x[M,K] * w[K,N] + b[N]), tanh form
extern "C" void run(const float* x, const float* w, const float* b, float scale,
                    float* y, int64_t M) {
  constexpr int64_t N = 200;
  constexpr int64_t K = 256;
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      float sum = 0.0f;
      for (int64_t k = 0; k < K; ++k) {
        sum += x[i * K + k] * w[k * N + j];
      }
      y[i * N + j] = sum;
    }
  }
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      y[i * N + j] = scale * y[i * N + j] + b[j];
    }
  }
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      float z = y[i * N + j];
      float inner = 0.7978845608f * (z + 0.044715f * z * z * z);
      y[i * N + j] = 0.5f * z * (1.0f + std::tanh(inner));
    }
  }
}
