#include <cstdint>

// y[M] = A[M,K] * x[K]
extern "C" void run(const float* A, const float* x, float* y, int64_t M,
                    int64_t K) {
  for (int64_t i = 0; i < M; ++i) {
    float sum = 0.0f;
    for (int64_t k = 0; k < K; ++k) {
      sum += A[i * K + k] * x[k];
    }
    y[i] = sum;
  }
}
