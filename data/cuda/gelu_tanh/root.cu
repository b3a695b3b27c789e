//@ launch gelu<<<ceil_div(N, 256), 256>>>(x, y, int32(N))

// y[N] = gelu(x[N]), tanh form
extern "C" __global__ void gelu(const float* x, float* y, int N) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) {
    float inner = 0.7978845608f * (x[i] + 0.044715f * x[i] * x[i] * x[i]);
    y[i] = 0.5f * x[i] * (1.0f + tanhf(inner));
  }
}
