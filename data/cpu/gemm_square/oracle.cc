// C = A * B.
//
// Error model.  A float32 dot product of n terms, summed in any order, with or
// without FMA, errs by at most n u sum|a_k b_k|, and but for rare inputs by
// about sqrt(n) u sum|a_k b_k| (Higham and Mary 2019, theorem 3.1: rounding
// errors are as good as independent with mean zero).  Hence
//   m = sqrt(N) sum|a_k b_k|.
#include <cmath>
#include <cstdint>

extern "C" void oracle(const double* A, const double* B, double* C, double* C_m,
                       int64_t N) {
  const double growth = std::sqrt(static_cast<double>(N));
  for (int64_t i = 0; i < N; ++i) {
    double* c = C + i * N;
    double* m = C_m + i * N;
    for (int64_t j = 0; j < N; ++j) c[j] = m[j] = 0.0;
    for (int64_t k = 0; k < N; ++k) {
      const double a = A[i * N + k];
      const double* b = B + k * N;
      for (int64_t j = 0; j < N; ++j) {
        const double term = a * b[j];
        c[j] += term;
        m[j] += std::abs(term);
      }
    }
    for (int64_t j = 0; j < N; ++j) m[j] *= growth;
  }
}
