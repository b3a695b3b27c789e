#include <cstdint>

// C[M,N] = A[M,K] * B[N,K]^T
extern "C" void run(const float* A, const float* B, float* C, int64_t M) {
  constexpr int64_t N = 200;
  constexpr int64_t K = 256;
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      float sum = 0.0f;
      for (int64_t k = 0; k < K; ++k) {
        sum += A[i * K + k] * B[j * K + k];
      }
      C[i * N + j] = sum;
    }
  }
}
