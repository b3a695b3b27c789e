// y = x^T.
//
// Error model: values are only moved, so m = 0 and they must be equal.
//@ launch oracle<<<(ceil_div(C, 16), ceil_div(R, 16)), (16, 16)>>>(x, y, y_m, int32(R), int32(C))
extern "C" __global__ void oracle(const float* x, double* y, double* y_m, int R,
                                  int C) {
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= R || j >= C) return;
  y[j * R + i] = x[i * C + j];
  y_m[j * R + i] = 0.0;
}
