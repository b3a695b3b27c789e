//@ launch layernorm<<<ceil_div(R, 128), 128>>>(x, gamma, beta, y, int32(R), int32(C))

// y[R,C] = layer normalisation of each row of x[R,C]
extern "C" __global__ void layernorm(const float* x, const float* gamma,
                                     const float* beta, float* y, int R,
                                     int C) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < R) {
    float sum = 0.0f;
    for (int j = 0; j < C; ++j) {
      sum += x[i * C + j];
    }
    float mean = sum / C;
    float squares = 0.0f;
    for (int j = 0; j < C; ++j) {
      squares += (x[i * C + j] - mean) * (x[i * C + j] - mean);
    }
    float scale = 1.0f / sqrtf(squares / C + 1e-5f);
    for (int j = 0; j < C; ++j) {
      y[i * C + j] = (x[i * C + j] - mean) * scale * gamma[j] + beta[j];
    }
  }
}
