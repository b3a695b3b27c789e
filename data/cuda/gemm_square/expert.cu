//@ library cublas
#include <cublas_v2.h>

#include <cstdint>

// Row-major C = A * B is column-major C^T = B^T * A^T.  float32 throughout:
// TF32 is off by default.
extern "C" void run(const float* A, const float* B, float* C, int64_t N,
                    cudaStream_t stream) {
  static cublasHandle_t handle = [] {
    cublasHandle_t made = nullptr;
    cublasCreate(&made);
    return made;
  }();
  const int n = static_cast<int>(N);
  const float one = 1.0f;
  const float zero = 0.0f;
  cublasSetStream(handle, stream);
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, B, n, A, n,
              &zero, C, n);
}
