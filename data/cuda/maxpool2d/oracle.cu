// y = largest of the 3x3 window around each pixel, inside the image.
//
// Error model: values are only chosen, so m = 0 and they must be equal.
//@ launch oracle<<<(ceil_div(H * W, 256), P), 256>>>(x, y, y_m, int32(H), int32(W))
extern "C" __global__ void oracle(const float* x, double* y, double* y_m, int H,
                                  int W) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= H * W) return;
  const int plane = blockIdx.y * H * W;
  double largest = x[plane + at];
  for (int row = max(at / W - 1, 0); row <= min(at / W + 1, H - 1); ++row) {
    for (int column = max(at % W - 1, 0); column <= min(at % W + 1, W - 1);
         ++column) {
      largest = fmax(largest, static_cast<double>(x[plane + row * W + column]));
    }
  }
  y[plane + at] = largest;
  y_m[plane + at] = 0.0;
}
