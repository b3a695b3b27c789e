// y = 2x2 max-pooling of relu(conv(x, w) + bias).
//
// Error model.  The convolution is a sum of n = 9 C + 1 terms (Higham and Mary
// 2019, theorem 3.1): m = sqrt(n) (sum|x w| + |bias|).  relu and max never
// enlarge an error, but may choose another element of the window, so the
// largest m of the window is taken.
//@ launch oracle<<<(ceil_div(H * W, 128), B * K), 128>>>(x, w, bias, y, y_m, int32(H), int32(W))
extern "C" __global__ void oracle(const float* x, const float* w,
                                  const float* bias, double* y, double* y_m,
                                  int H, int W) {
  constexpr int C = 16;
  constexpr int K = 32;
  const int b = blockIdx.y / K;
  const int k = blockIdx.y % K;
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= H * W) return;
  const int rows = 2 * H;
  const int columns = 2 * W;
  double largest = 0.0;
  double largest_m = 0.0;
  for (int corner = 0; corner < 4; ++corner) {
    const int i = at / W * 2 + corner / 2;
    const int j = at % W * 2 + corner % 2;
    double sum = bias[k];
    double terms = fabs(sum);
    for (int tap = 0; tap < C * 9; ++tap) {
      const int row = i + tap / 3 % 3 - 1;
      const int column = j + tap % 3 - 1;
      if (row < 0 || row >= rows || column < 0 || column >= columns) continue;
      const double pixel =
          x[((b * C + tap / 9) * rows + row) * columns + column];
      const double term = pixel * w[k * C * 9 + tap];
      sum += term;
      terms += fabs(term);
    }
    largest = fmax(largest, sum);
    largest_m = fmax(largest_m, terms);
  }
  const int out = blockIdx.y * H * W + at;
  y[out] = largest;
  y_m[out] = sqrt(9.0 * C + 1.0) * largest_m;
}
