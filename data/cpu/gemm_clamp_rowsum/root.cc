#include <algorithm>
#include <cstdint>
#include <vector>

// y[M] = row sums of clamp(scale * A[M,K] * B[K,N], low, high)
extern "C" void run(const float* A, const float* B, float scale, float low,
                    float high, float* y, int64_t M, int64_t N, int64_t K) {
  std::vector<float> h(M * N);
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      float sum = 0.0f;
      for (int64_t k = 0; k < K; ++k) {
        sum += A[i * K + k] * B[k * N + j];
      }
      h[i * N + j] = sum;
    }
  }
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      h[i * N + j] = std::min(std::max(scale * h[i * N + j], low), high);
    }
  }
  for (int64_t i = 0; i < M; ++i) {
    float sum = 0.0f;
    for (int64_t j = 0; j < N; ++j) {
      sum += h[i * N + j];
    }
    y[i] = sum;
  }
}
