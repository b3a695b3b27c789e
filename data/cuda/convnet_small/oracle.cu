// y = linear(mean(relu(conv(pool(relu(conv(x)))))))
//
// Error model, in units of u:
//   conv     a sum of n = 9 C + 1 terms whose data carry the error a_m,
//              sqrt(n) (sum|a w| + |bias|) + sqrt(sum (a_m w)^2)
//            (Higham and Mary 2019, theorem 3.1; the errors carried are
//            independent, so their squares add);
//   relu, pool  never enlarge an error, but pooling may choose another element:
//            the largest of the window;
//   mean     sqrt(n) mean|a|, and sqrt(sum a_m^2) / n carried;
//   linear   as conv, with n = C2 + 1.
//@ scratch double pooled[B * C1 * H * W]
//@ scratch double pooled_m[B * C1 * H * W]
//@ scratch double h2[B * C2 * H * W]
//@ scratch double h2_m[B * C2 * H * W]
//@ scratch double means[B * C2]
//@ scratch double means_m[B * C2]
//@ launch conv1_pool<<<(ceil_div(H * W, 128), B * C1), 128>>>(x, w1, b1, pooled, pooled_m, int32(H), int32(W))
//@ launch conv2<<<(ceil_div(H * W, 128), B * C2), 128>>>(pooled, pooled_m, w2, b2, h2, h2_m, int32(H), int32(W))
//@ launch average<<<B * C2, 32>>>(h2, h2_m, means, means_m, int32(H * W))
//@ launch linear<<<B, Z>>>(means, means_m, w3, b3, y, y_m)

// Sum over the warp.
__device__ double WarpSum(double value) {
  for (int step = 16; step > 0; step /= 2) {
    value += __shfl_xor_sync(0xffffffff, value, step);
  }
  return value;
}

extern "C" __global__ void conv1_pool(const float* x, const float* w1,
                                      const float* b1, double* pooled,
                                      double* pooled_m, int H, int W) {
  constexpr int C0 = 3;
  constexpr int C1 = 16;
  const int b = blockIdx.y / C1;
  const int k = blockIdx.y % C1;
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= H * W) return;
  const int rows = 2 * H;
  const int columns = 2 * W;
  double largest = 0.0;
  double largest_m = 0.0;
  for (int corner = 0; corner < 4; ++corner) {
    const int i = at / W * 2 + corner / 2;
    const int j = at % W * 2 + corner % 2;
    double sum = b1[k];
    double terms = fabs(sum);
    for (int tap = 0; tap < C0 * 9; ++tap) {
      const int row = i + tap / 3 % 3 - 1;
      const int column = j + tap % 3 - 1;
      if (row < 0 || row >= rows || column < 0 || column >= columns) continue;
      const double pixel =
          x[((b * C0 + tap / 9) * rows + row) * columns + column];
      const double term = pixel * w1[k * C0 * 9 + tap];
      sum += term;
      terms += fabs(term);
    }
    largest = fmax(largest, sum);
    largest_m = fmax(largest_m, terms);
  }
  const int out = blockIdx.y * H * W + at;
  pooled[out] = largest;
  pooled_m[out] = sqrt(9.0 * C0 + 1.0) * largest_m;
}

extern "C" __global__ void conv2(const double* pooled, const double* pooled_m,
                                 const float* w2, const float* b2, double* h2,
                                 double* h2_m, int H, int W) {
  constexpr int C1 = 16;
  constexpr int C2 = 24;
  const int b = blockIdx.y / C2;
  const int k = blockIdx.y % C2;
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= H * W) return;
  double sum = b2[k];
  double terms = fabs(sum);
  double squares = 0.0;
  for (int tap = 0; tap < C1 * 9; ++tap) {
    const int row = at / W + tap / 3 % 3 - 1;
    const int column = at % W + tap % 3 - 1;
    if (row < 0 || row >= H || column < 0 || column >= W) continue;
    const int from = ((b * C1 + tap / 9) * H + row) * W + column;
    const double weight = w2[k * C1 * 9 + tap];
    const double term = pooled[from] * weight;
    const double carried = pooled_m[from] * weight;
    sum += term;
    terms += fabs(term);
    squares += carried * carried;
  }
  const int out = blockIdx.y * H * W + at;
  h2[out] = fmax(sum, 0.0);
  h2_m[out] = sqrt(9.0 * C1 + 1.0) * terms + sqrt(squares);
}

extern "C" __global__ void average(const double* h2, const double* h2_m,
                                   double* means, double* means_m, int size) {
  const int plane = blockIdx.x * size;
  const double n = size;
  double sum = 0.0;
  double terms = 0.0;
  double squares = 0.0;
  for (int i = threadIdx.x; i < size; i += 32) {
    sum += h2[plane + i];
    terms += fabs(h2[plane + i]);
    squares += h2_m[plane + i] * h2_m[plane + i];
  }
  sum = WarpSum(sum);
  terms = WarpSum(terms);
  squares = WarpSum(squares);
  if (threadIdx.x == 0) {
    means[blockIdx.x] = sum / n;
    means_m[blockIdx.x] = (sqrt(n) * terms + sqrt(squares)) / n + fabs(sum / n);
  }
}

extern "C" __global__ void linear(const double* means, const double* means_m,
                                  const float* w3, const float* b3, double* y,
                                  double* y_m) {
  constexpr int C2 = 24;
  constexpr int Z = 10;
  const int b = blockIdx.x;
  const int z = threadIdx.x;
  double sum = b3[z];
  double terms = fabs(sum);
  double squares = 0.0;
  for (int c = 0; c < C2; ++c) {
    const double weight = w3[z * C2 + c];
    const double term = means[b * C2 + c] * weight;
    const double carried = means_m[b * C2 + c] * weight;
    sum += term;
    terms += fabs(term);
    squares += carried * carried;
  }
  y[b * Z + z] = sum;
  y_m[b * Z + z] = sqrt(C2 + 1.0) * terms + sqrt(squares);
}
