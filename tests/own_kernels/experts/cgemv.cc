#include <cblas.h>

#include <cstdint>

extern "C" void run(const float* A, const float* x, float* y, int64_t m,
                    int64_t n) {
  const float one[] = {1.0f, 0.0f};
  const float zero[] = {0.0f, 0.0f};
  const int cols = static_cast<int>(n);
  cblas_cgemv(CblasRowMajor, CblasNoTrans, static_cast<int>(m), cols, one, A,
              cols, x, 1, zero, y, 1);
}
