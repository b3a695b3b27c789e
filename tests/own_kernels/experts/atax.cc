#include <cblas.h>

#include <cstdint>

extern "C" void run(const double* A, const double* x, double* y, double* tmp,
                    int64_t m, int64_t n) {
  const int rows = static_cast<int>(m);
  const int cols = static_cast<int>(n);
  cblas_dgemv(CblasRowMajor, CblasNoTrans, rows, cols, 1.0, A, cols, x, 1, 0.0,
              tmp, 1);
  cblas_dgemv(CblasRowMajor, CblasTrans, rows, cols, 1.0, A, cols, tmp, 1, 0.0,
              y, 1);
}
