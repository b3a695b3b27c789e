//@ library openblas
#include <cblas.h>

#include <cstdint>

extern "C" void run(const float* A, const float* B, float* C, int64_t N) {
  const int n = static_cast<int>(N);
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0f, A, n, B,
              n, 0.0f, C, n);
}
