// y = 3x3 convolution (cross-correlation) of x with w, zero padding 1.
//
// Error model.  Each output is a dot product of n = 9 C terms, fewer at the
// border, so as for a matrix product (Higham and Mary 2019, theorem 3.1)
//   m = sqrt(n) sum|x w|.
//@ launch oracle<<<(ceil_div(H * W, 256), B * K), 256>>>(x, w, y, y_m, int32(H), int32(W))
extern "C" __global__ void oracle(const float* x, const float* w, double* y,
                                  double* y_m, int H, int W) {
  constexpr int C = 32;
  constexpr int K = 32;
  const int b = blockIdx.y / K;
  const int k = blockIdx.y % K;
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= H * W) return;
  const int i = at / W;
  const int j = at % W;
  double sum = 0.0;
  double terms = 0.0;
  for (int tap = 0; tap < C * 9; ++tap) {
    const int row = i + tap / 3 % 3 - 1;
    const int column = j + tap % 3 - 1;
    if (row < 0 || row >= H || column < 0 || column >= W) continue;
    const double term =
        static_cast<double>(x[((b * C + tap / 9) * H + row) * W + column]) *
        static_cast<double>(w[k * C * 9 + tap]);
    sum += term;
    terms += fabs(term);
  }
  const int out = blockIdx.y * H * W + at;
  y[out] = sum;
  y_m[out] = sqrt(9.0 * C) * terms;
}
