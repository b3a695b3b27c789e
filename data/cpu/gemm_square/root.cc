#include <cstdint>

// C[N,N] = A[N,N] * B[N,N]
extern "C" void run(const float* A, const float* B, float* C, int64_t N) {
  for (int64_t i = 0; i < N; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      float sum = 0.0f;
      for (int64_t k = 0; k < N; ++k) {
        sum += A[i * N + k] * B[k * N + j];
      }
      C[i * N + j] = sum;
    }
  }
}
