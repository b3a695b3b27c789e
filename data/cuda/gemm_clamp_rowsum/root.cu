//@ scratch float h[M * N]
//@ launch gemm_clamp<<<(ceil_div(N, 16), ceil_div(M, 16)), (16, 16)>>>(A, B, scale, low, high, h, int32(M), int32(N), int32(K))
//@ launch row_sum<<<ceil_div(M, 128), 128>>>(h, y, int32(M), int32(N))

// h[M,N] = clamp(scale * A[M,K] * B[K,N], low, high)
extern "C" __global__ void gemm_clamp(const float* A, const float* B,
                                      float scale, float low, float high,
                                      float* h, int M, int N, int K) {
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < M && j < N) {
    float sum = 0.0f;
    for (int k = 0; k < K; ++k) {
      sum += A[i * K + k] * B[k * N + j];
    }
    h[i * N + j] = fminf(fmaxf(scale * sum, low), high);
  }
}

// y[M] = sum of each row of h[M,N]
extern "C" __global__ void row_sum(const float* h, float* y, int M, int N) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < M) {
    float sum = 0.0f;
    for (int j = 0; j < N; ++j) {
      sum += h[i * N + j];
    }
    y[i] = sum;
  }
}
