//@ launch gemv<<<ceil_div(M, 128), 128>>>(A, x, y, int32(M), int32(K))

// y[M] = A[M,K] * x[K]
extern "C" __global__ void gemv(const float* A, const float* x, float* y, int M,
                                int K) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < M) {
    float sum = 0.0f;
    for (int k = 0; k < K; ++k) {
      sum += A[i * K + k] * x[k];
    }
    y[i] = sum;
  }
}
