// y_j = x_0 + ... + x_j, along each row.
//
// Error model: each output is a float32 sum of j + 1 terms, in any order and by
// any scheme of partial sums of those terms (Higham and Mary 2019, theorem
// 3.1),
//   m_j = sqrt(j + 1) (|x_0| + ... + |x_j|).
#include <cmath>
#include <cstdint>

extern "C" void oracle(const double* x, double* y, double* y_m, int64_t R,
                       int64_t C) {
  for (int64_t i = 0; i < R; ++i) {
    double sum = 0.0;
    double terms = 0.0;
    for (int64_t j = 0; j < C; ++j) {
      sum += x[i * C + j];
      terms += std::abs(x[i * C + j]);
      y[i * C + j] = sum;
      y_m[i * C + j] = std::sqrt(static_cast<double>(j + 1)) * terms;
    }
  }
}
