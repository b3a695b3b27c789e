//@ launch relu<<<ceil_div(N, 256), 256>>>(x, y, int32(N))

// y[N] = max(x[N], 0)
extern "C" __global__ void relu(const float* x, float* y, int N) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) {
    y[i] = fmaxf(x[i], 0.0f);
  }
}
