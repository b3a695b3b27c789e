// y = sum of each row.
//
// Error model: a float32 sum of C terms in any order (Higham and Mary 2019,
// theorem 3.1),
//   m = sqrt(C) sum|x_j|.
#include <cmath>
#include <cstdint>

extern "C" void oracle(const double* x, double* y, double* y_m, int64_t R,
                       int64_t C) {
  const double growth = std::sqrt(static_cast<double>(C));
  for (int64_t i = 0; i < R; ++i) {
    double sum = 0.0;
    double terms = 0.0;
    for (int64_t j = 0; j < C; ++j) {
      sum += x[i * C + j];
      terms += std::abs(x[i * C + j]);
    }
    y[i] = sum;
    y_m[i] = growth * terms;
  }
}
