// C = A * B.
//
// Error model, in units of bfloat16's u: 1 for rounding the result, and what a
// float32 dot product of N terms errs by (Higham and Mary 2019, theorem 3.1;
// tensor cores truncate, and so err by less than twice that),
//   m = |c| + 2^-16 sqrt(N) sum|a_k b_k|.
//@ launch oracle<<<(ceil_div(N, 16), ceil_div(N, 16)), (16, 16)>>>(A, B, C, C_m, int32(N))
#include <cuda_bf16.h>

extern "C" __global__ void oracle(const __nv_bfloat16* A,
                                  const __nv_bfloat16* B, double* C,
                                  double* C_m, int N) {
  constexpr double kFloat32 = 0x1p-16;  // Its u in units of bfloat16's.
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N || j >= N) return;
  double sum = 0.0;
  double terms = 0.0;
  for (int k = 0; k < N; ++k) {
    // Exact in float: both have few digits.
    const double term =
        __bfloat162float(A[i * N + k]) * __bfloat162float(B[k * N + j]);
    sum += term;
    terms += fabs(term);
  }
  C[i * N + j] = sum;
  C_m[i * N + j] = fabs(sum) + kFloat32 * sqrt(static_cast<double>(N)) * terms;
}
