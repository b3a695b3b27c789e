//@ library cublas
#include <cublas_v2.h>
#include <cuda_bf16.h>

#include <cstdint>

// Row-major C = A * B is column-major C^T = B^T * A^T.  By default cuBLAS may
// round partial sums to the narrow type when it splits k; that is out of
// tolerance, and PyTorch users can switch it off too.
extern "C" void run(const __nv_bfloat16* A, const __nv_bfloat16* B,
                    __nv_bfloat16* C, int64_t N, cudaStream_t stream) {
  static cublasHandle_t handle = [] {
    cublasHandle_t made = nullptr;
    cublasCreate(&made);
    cublasSetMathMode(made,
                      static_cast<cublasMath_t>(
                          CUBLAS_DEFAULT_MATH |
                          CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION));
    return made;
  }();
  const int n = static_cast<int>(N);
  const float one = 1.0f;
  const float zero = 0.0f;
  cublasSetStream(handle, stream);
  cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, B, CUDA_R_16BF,
               n, A, CUDA_R_16BF, n, &zero, C, CUDA_R_16BF, n,
               CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}
