// Y = A X, A sparse: row i has the elements from row_start[i] on.
//
// Error model: float32 dot products of n terms, n the row's elements, in any
// order (Higham and Mary 2019, theorem 3.1),
//   m = sqrt(n) (sum|a x| + 2^-126),
// the last for products that underflow, each off by 2^-150.
#include <cmath>
#include <cstdint>

extern "C" void oracle(const int64_t* row_start, const int64_t* columns,
                       const double* values, const double* X, double* Y,
                       double* Y_m, int64_t M, int64_t NNZ, int64_t N,
                       int64_t F) {
  for (int64_t i = 0; i < M; ++i) {
    const int64_t begin = row_start[i];
    const int64_t end = i + 1 < M ? row_start[i + 1] : NNZ;
    const double growth = std::sqrt(static_cast<double>(end - begin));
    for (int64_t f = 0; f < F; ++f) {
      double sum = 0.0;
      double terms = 0x1p-126;
      for (int64_t k = begin; k < end; ++k) {
        const double term = values[k] * X[columns[k] * F + f];
        sum += term;
        terms += std::abs(term);
      }
      Y[i * F + f] = sum;
      Y_m[i * F + f] = growth * terms;
    }
  }
}
