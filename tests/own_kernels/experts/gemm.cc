#include <cblas.h>

#include <cstdint>

extern "C" void run(double alpha, double beta, const double* /*C_before*/,
                    const double* A, const double* B, double* C, int64_t ni,
                    int64_t nj, int64_t nk) {
  const int m = static_cast<int>(ni);
  const int n = static_cast<int>(nj);
  const int k = static_cast<int>(nk);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, alpha, A, k,
              B, n, beta, C, n);
}
