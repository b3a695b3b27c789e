//@ launch transpose<<<(ceil_div(C, 16), ceil_div(R, 16)), (16, 16)>>>(x, y, int32(R), int32(C))

// y[C,R] = x[R,C]^T
extern "C" __global__ void transpose(const float* x, float* y, int R, int C) {
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < R && j < C) {
    y[j * R + i] = x[i * C + j];
  }
}
