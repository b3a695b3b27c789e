// y = transpose of x.
//
// Error model: nothing is computed, so m = 0 and the bits must be equal.
#include <cstdint>

extern "C" void oracle(const double* x, double* y, double* y_m, int64_t M,
                       int64_t N) {
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      y[j * M + i] = x[i * N + j];
      y_m[j * M + i] = 0.0;
    }
  }
}
