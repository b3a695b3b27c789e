//@ launch softmax<<<ceil_div(R, 128), 128>>>(x, y, int32(R), int32(C))

// y[R,C] = softmax of each row of x[R,C]
extern "C" __global__ void softmax(const float* x, float* y, int R, int C) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < R) {
    float largest = x[i * C];
    for (int j = 0; j < C; ++j) {
      largest = fmaxf(largest, x[i * C + j]);
    }
    float sum = 0.0f;
    for (int j = 0; j < C; ++j) {
      y[i * C + j] = expf(x[i * C + j] - largest);
      sum += y[i * C + j];
    }
    for (int j = 0; j < C; ++j) {
      y[i * C + j] = y[i * C + j] / sum;
    }
  }
}
