//@ launch argmax<<<ceil_div(R, 128), 128>>>(x, index, int32(R), int32(C))

// index[R] = where the largest element of each row of x[R,C] is
extern "C" __global__ void argmax(const float* x, int* index, int R, int C) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < R) {
    int best = 0;
    for (int j = 1; j < C; ++j) {
      if (x[i * C + j] > x[i * C + best]) {
        best = j;
      }
    }
    index[i] = best;
  }
}
