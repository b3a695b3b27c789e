#include <cstdint>

// C[M,N] = A[M,K] * B[K,N], integers of 8 bits summed in 32
extern "C" void run(const int8_t* A, const int8_t* B, int32_t* C, int64_t M,
                    int64_t N, int64_t K) {
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      int32_t sum = 0;
      for (int64_t k = 0; k < K; ++k) {
        sum += A[i * K + k] * B[k * N + j];
      }
      C[i * N + j] = sum;
    }
  }
}
