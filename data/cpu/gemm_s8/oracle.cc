// C = A B of integers.
//
// Error model: integers, so m = 0 and they must be equal.
#include <cstdint>

extern "C" void oracle(const int64_t* A, const int64_t* B, double* C,
                       double* C_m, int64_t M, int64_t N, int64_t K) {
  for (int64_t i = 0; i < M * N; ++i) {
    C[i] = 0.0;
    C_m[i] = 0.0;
  }
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t k = 0; k < K; ++k) {
      const double a = static_cast<double>(A[i * K + k]);
      for (int64_t j = 0; j < N; ++j) {
        C[i * N + j] += a * static_cast<double>(B[k * N + j]);
      }
    }
  }
}
