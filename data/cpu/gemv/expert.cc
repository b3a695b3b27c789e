//@ library openblas
#include <cblas.h>

#include <cstdint>

extern "C" void run(const float* A, const float* x, float* y, int64_t M,
                    int64_t K) {
  cblas_sgemv(CblasRowMajor, CblasNoTrans, static_cast<int>(M),
              static_cast<int>(K), 1.0f, A, static_cast<int>(K), x, 1, 0.0f, y,
              1);
}
