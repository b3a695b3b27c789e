// C = A * B^T.
//
// Error model: a float32 dot product of K terms in any order (Higham and Mary
// 2019, theorem 3.1),
//   m = sqrt(K) sum|a_k b_k|.
#include <cmath>
#include <cstdint>
#include <vector>

extern "C" void oracle(const double* A, const double* B, double* C, double* C_m,
                       int64_t M) {
  constexpr int64_t N = 200;
  constexpr int64_t K = 256;
  const double growth = std::sqrt(static_cast<double>(K));
  std::vector<double> transposed(K * N);  // So that the inner loop is over j.
  for (int64_t j = 0; j < N; ++j) {
    for (int64_t k = 0; k < K; ++k) transposed[k * N + j] = B[j * K + k];
  }
  for (int64_t i = 0; i < M; ++i) {
    double* c = C + i * N;
    double* m = C_m + i * N;
    for (int64_t j = 0; j < N; ++j) c[j] = m[j] = 0.0;
    for (int64_t k = 0; k < K; ++k) {
      const double a = A[i * K + k];
      const double* b = &transposed[k * N];
      for (int64_t j = 0; j < N; ++j) {
        const double term = a * b[j];
        c[j] += term;
        m[j] += std::abs(term);
      }
    }
    for (int64_t j = 0; j < N; ++j) m[j] *= growth;
  }
}
