// y = A x, A sparse: row i has the elements from row_start[i] on.
//
// Error model: a float32 dot product of n terms, n the row's elements, in any
// order (Higham and Mary 2019, theorem 3.1),
//   m = sqrt(n) (sum|a x| + 2^-126),
// the last for products that underflow, each off by 2^-150.
#include <cmath>
#include <cstdint>

extern "C" void oracle(const int64_t* row_start, const int64_t* columns,
                       const double* values, const double* x, double* y,
                       double* y_m, int64_t M, int64_t NNZ, int64_t N) {
  for (int64_t i = 0; i < M; ++i) {
    const int64_t begin = row_start[i];
    const int64_t end = i + 1 < M ? row_start[i + 1] : NNZ;
    double sum = 0.0;
    double terms = 0x1p-126;
    for (int64_t k = begin; k < end; ++k) {
      const double term = values[k] * x[columns[k]];
      sum += term;
      terms += std::abs(term);
    }
    y[i] = sum;
    y_m[i] = std::sqrt(static_cast<double>(end - begin)) * terms;
  }
}
