//@ launch gemm_bias_gelu<<<(ceil_div(N, 16), ceil_div(M, 16)), (16, 16)>>>(x, w, b, scale, y, int32(M))
#include <cuda_fp16.h>

// y[M,N] = gelu(scale * x[M,K] * w[K,N] + b[N]), tanh form
extern "C" __global__ void gemm_bias_gelu(const __half* x, const __half* w,
                                          const __half* b, float scale,
                                          __half* y, int M) {
  constexpr int N = 1024;
  constexpr int K = 1024;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < M && j < N) {
    float sum = 0.0f;
    for (int k = 0; k < K; ++k) {
      sum += __half2float(x[i * K + k]) * __half2float(w[k * N + j]);
    }
    float z = scale * sum + __half2float(b[j]);
    float inner = 0.7978845608f * (z + 0.044715f * z * z * z);
    y[i * N + j] = __float2half(0.5f * z * (1.0f + tanhf(inner)));
  }
}
