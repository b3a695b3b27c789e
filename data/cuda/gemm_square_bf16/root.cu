//@ launch gemm<<<(ceil_div(N, 16), ceil_div(N, 16)), (16, 16)>>>(A, B, C, int32(N))
#include <cuda_bf16.h>

// C[N,N] = A[N,N] * B[N,N], summed in float
extern "C" __global__ void gemm(const __nv_bfloat16* A, const __nv_bfloat16* B,
                                __nv_bfloat16* C, int N) {
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N && j < N) {
    float sum = 0.0f;
    for (int k = 0; k < N; ++k) {
      sum += __bfloat162float(A[i * N + k]) * __bfloat162float(B[k * N + j]);
    }
    C[i * N + j] = __float2bfloat16(sum);
  }
}
