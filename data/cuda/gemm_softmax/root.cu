//@ launch scores<<<(ceil_div(N, 16), ceil_div(M, 16)), (16, 16)>>>(q, k, scale, y, int32(M), int32(N))
//@ launch softmax<<<ceil_div(M, 128), 128>>>(y, int32(M), int32(N))

// y[M,N] = softmax over each row of scale * q[M,K] * k[N,K]^T
extern "C" __global__ void scores(const float* q, const float* k, float scale,
                                  float* y, int M, int N) {
  constexpr int K = 64;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < M && j < N) {
    float sum = 0.0f;
    for (int d = 0; d < K; ++d) {
      sum += q[i * K + d] * k[j * K + d];
    }
    y[i * N + j] = scale * sum;
  }
}

extern "C" __global__ void softmax(float* y, int M, int N) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < M) {
    float largest = y[i * N];
    for (int j = 0; j < N; ++j) {
      largest = fmaxf(largest, y[i * N + j]);
    }
    float sum = 0.0f;
    for (int j = 0; j < N; ++j) {
      y[i * N + j] = expf(y[i * N + j] - largest);
      sum += y[i * N + j];
    }
    for (int j = 0; j < N; ++j) {
      y[i * N + j] = y[i * N + j] / sum;
    }
  }
}
