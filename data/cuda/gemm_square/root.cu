//@ launch gemm<<<(ceil_div(N, 16), ceil_div(N, 16)), (16, 16)>>>(A, B, C, int32(N))

// C[N,N] = A[N,N] * B[N,N]
extern "C" __global__ void gemm(const float* A, const float* B, float* C,
                                int N) {
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N && j < N) {
    float sum = 0.0f;
    for (int k = 0; k < N; ++k) {
      sum += A[i * N + k] * B[k * N + j];
    }
    C[i * N + j] = sum;
  }
}
