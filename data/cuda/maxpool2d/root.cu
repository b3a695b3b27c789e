//@ launch maxpool<<<(ceil_div(W, 16), ceil_div(H, 16), P), (16, 16)>>>(x, y, int32(H), int32(W))

// y[P,H,W] = largest of the 3x3 window around each pixel of x[P,H,W]
extern "C" __global__ void maxpool(const float* x, float* y, int H, int W) {
  int c = blockIdx.z;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < H && j < W) {
    float largest = x[(c * H + i) * W + j];
    for (int p = -1; p < 2; ++p) {
      for (int q = -1; q < 2; ++q) {
        int row = i + p;
        int column = j + q;
        if (row >= 0 && row < H && column >= 0 && column < W) {
          largest = fmaxf(largest, x[(c * H + row) * W + column]);
        }
      }
    }
    y[(c * H + i) * W + j] = largest;
  }
}
