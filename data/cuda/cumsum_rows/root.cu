//@ launch cumsum<<<ceil_div(R, 128), 128>>>(x, y, int32(R), int32(C))

// y[R,C] = running sums along each row of x[R,C]
extern "C" __global__ void cumsum(const float* x, float* y, int R, int C) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < R) {
    float sum = 0.0f;
    for (int j = 0; j < C; ++j) {
      sum += x[i * C + j];
      y[i * C + j] = sum;
    }
  }
}
