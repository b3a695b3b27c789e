#include <algorithm>
#include <cmath>
#include <cstdint>

// y[M,N] = softmax over each row of scale * q[M,K] * k[N,K]^T
extern "C" void run(const float* q, const float* k, float scale, float* y,
                    int64_t M, int64_t N) {
  constexpr int64_t K = 64;
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      float sum = 0.0f;
      for (int64_t d = 0; d < K; ++d) {
        sum += q[i * K + d] * k[j * K + d];
      }
      y[i * N + j] = scale * sum;
    }
  }
  for (int64_t i = 0; i < M; ++i) {
    float largest = y[i * N];
    for (int64_t j = 0; j < N; ++j) {
      largest = std::max(largest, y[i * N + j]);
    }
    float sum = 0.0f;
    for (int64_t j = 0; j < N; ++j) {
      y[i * N + j] = std::exp(y[i * N + j] - largest);
      sum += y[i * N + j];
    }
    for (int64_t j = 0; j < N; ++j) {
      y[i * N + j] = y[i * N + j] / sum;
    }
  }
}
