//@ library openblas
#include <cblas.h>

#include <cstdint>

extern "C" void run(const float* A, const float* B, float* C, int64_t M) {
  constexpr int64_t N = 200;
  constexpr int64_t K = 256;
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, static_cast<int>(M), N,
              K, 1.0f, A, K, B, K, 0.0f, C, N);
}
