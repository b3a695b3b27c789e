//@ library cublas
#include <cublas_v2.h>

#include <cstdint>

// Row-major x[R,C] is column-major x^T[C,R], which is transposed again.
extern "C" void run(const float* x, float* y, int64_t R, int64_t C,
                    cudaStream_t stream) {
  static cublasHandle_t handle = [] {
    cublasHandle_t made = nullptr;
    cublasCreate(&made);
    return made;
  }();
  const int rows = static_cast<int>(R);
  const int columns = static_cast<int>(C);
  const float one = 1.0f;
  const float zero = 0.0f;
  cublasSetStream(handle, stream);
  cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, rows, columns, &one, x, columns,
              &zero, nullptr, rows, y, rows);
}
