//@ library cublas
#include <cublas_v2.h>

#include <cstdint>

// Row-major A[M,K] is column-major A^T[K,M].
extern "C" void run(const float* A, const float* x, float* y, int64_t M,
                    int64_t K, cudaStream_t stream) {
  static cublasHandle_t handle = [] {
    cublasHandle_t made = nullptr;
    cublasCreate(&made);
    return made;
  }();
  const float one = 1.0f;
  const float zero = 0.0f;
  cublasSetStream(handle, stream);
  cublasSgemv(handle, CUBLAS_OP_T, static_cast<int>(K), static_cast<int>(M),
              &one, A, static_cast<int>(K), x, 1, &zero, y, 1);
}
