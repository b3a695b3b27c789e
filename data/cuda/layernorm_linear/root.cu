//@ scratch float h[M * K]
//@ launch layernorm<<<ceil_div(M, 128), 128>>>(x, gamma, beta, h, int32(M))
//@ launch linear<<<(ceil_div(N, 16), ceil_div(M, 16)), (16, 16)>>>(h, w, b, y, int32(M))

// h[M,K] = layer normalisation of each row of x[M,K]
extern "C" __global__ void layernorm(const float* x, const float* gamma,
                                     const float* beta, float* h, int M) {
  constexpr int K = 1024;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < M) {
    float sum = 0.0f;
    for (int k = 0; k < K; ++k) {
      sum += x[i * K + k];
    }
    float mean = sum / K;
    float squares = 0.0f;
    for (int k = 0; k < K; ++k) {
      squares += (x[i * K + k] - mean) * (x[i * K + k] - mean);
    }
    float scale = 1.0f / sqrtf(squares / K + 1e-5f);
    for (int k = 0; k < K; ++k) {
      h[i * K + k] = (x[i * K + k] - mean) * scale * gamma[k] + beta[k];
    }
  }
}

// y[M,N] = h[M,K] * w[N,K]^T + b[N]
extern "C" __global__ void linear(const float* h, const float* w,
                                  const float* b, float* y, int M) {
  constexpr int N = 512;
  constexpr int K = 1024;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < M && j < N) {
    float sum = b[j];
    for (int k = 0; k < K; ++k) {
      sum += h[i * K + k] * w[j * K + k];
    }
    y[i * N + j] = sum;
  }
}
