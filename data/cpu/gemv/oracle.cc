// y = A * x.
//
// Error model: a float32 dot product of K terms in any order (Higham and Mary
// 2019, theorem 3.1),
//   m = sqrt(K) sum|a_k x_k|.
#include <cmath>
#include <cstdint>

extern "C" void oracle(const double* A, const double* x, double* y, double* y_m,
                       int64_t M, int64_t K) {
  const double growth = std::sqrt(static_cast<double>(K));
  for (int64_t i = 0; i < M; ++i) {
    double sum = 0.0;
    double terms = 0.0;
    for (int64_t k = 0; k < K; ++k) {
      const double term = A[i * K + k] * x[k];
      sum += term;
      terms += std::abs(term);
    }
    y[i] = sum;
    y_m[i] = growth * terms;
  }
}
