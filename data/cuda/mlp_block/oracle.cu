// y = x + s2 * h * w2 + b2,  h = gelu(z),  z = s1 * n * w1 + b1,  n =
// rmsnorm(x).
//
// Error model, in units of u.  A product of a, whose elements carry the errors
// a_m, and b has, for n terms (Higham and Mary 2019, theorem 3.1; the errors
// carried are independent, so their squares add),
//   m = sqrt(n) sum|a b| + sqrt(sum (a_m b)^2).
//   n       relative: 0.5 sqrt(D) for the mean of squares under the root, 5 for
//           the rest;
//   z, y    the products', and a rounding for each addition;
//   gelu    |gelu'(z)| times the error of z, and its own: see Gelu().
//@ scratch double n[L * D]
//@ scratch double h[L * F]
//@ scratch double h_m[L * F]
//@ launch rmsnorm<<<L, 32>>>(x, g, n)
//@ launch up<<<(ceil_div(F, 16), ceil_div(L, 16)), (16, 16)>>>(n, w1, b1, s1, h, h_m, int32(L))
//@ launch down<<<(ceil_div(D, 16), ceil_div(L, 16)), (16, 16)>>>(h, h_m, w2, b2, s2, x, y, y_m, int32(L))

// Sum over the warp.
__device__ double WarpSum(double value) {
  for (int step = 16; step > 0; step /= 2) {
    value += __shfl_xor_sync(0xffffffff, value, step);
  }
  return value;
}

// gelu and how far off it may be, if z is off by z_m.
// Own error: tanh to 4 u |t|, its argument a to 4 u |a| (four roundings), then
// 1 + t, which cancels for negative z, and the products.
__device__ void Gelu(double z, double z_m, double* y, double* y_m) {
  const double c = 0.79788456080286535588;  // sqrt(2 / pi)
  const double a = c * (z + 0.044715 * z * z * z);
  const double t = tanh(a);
  const double t_slope = 1.0 - t * t;
  const double slope =
      0.5 * (1.0 + t) + 0.5 * z * t_slope * c * (1.0 + 3.0 * 0.044715 * z * z);
  *y = 0.5 * z * (1.0 + t);
  const double of_tanh = 4.0 * fabs(t) + 4.0 * t_slope * fabs(a);
  *y_m = fabs(slope) * z_m + 0.5 * fabs(z) * (of_tanh + (1.0 + t) + 1.0) +
         2.0 * fabs(*y);
}

extern "C" __global__ void rmsnorm(const float* x, const float* g, double* n) {
  constexpr int D = 512;
  constexpr double kEpsilon = 1e-6;
  const int row = blockIdx.x * D;
  double squares = 0.0;
  for (int d = threadIdx.x; d < D; d += 32) {
    squares += static_cast<double>(x[row + d]) * x[row + d];
  }
  const double scale = 1.0 / sqrt(WarpSum(squares) / D + kEpsilon);
  for (int d = threadIdx.x; d < D; d += 32) {
    n[row + d] = x[row + d] * scale * g[d];
  }
}

extern "C" __global__ void up(const double* n, const float* w1, const float* b1,
                              float s1, double* h, double* h_m, int L) {
  constexpr int D = 512;
  constexpr int F = 2048;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  const int f = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= L || f >= F) return;
  const double relative = 0.5 * sqrt(static_cast<double>(D)) + 5.0;  // Of n.
  double sum = 0.0;
  double terms = 0.0;
  double squares = 0.0;
  for (int d = 0; d < D; ++d) {
    const double term = s1 * n[i * D + d] * w1[d * F + f];
    sum += term;
    terms += fabs(term);
    squares += relative * term * relative * term;
  }
  const double z = sum + b1[f];
  const double z_m = sqrt(static_cast<double>(D)) * terms + sqrt(squares) +
                     fabs(sum) + fabs(z);
  Gelu(z, z_m, &h[i * F + f], &h_m[i * F + f]);
}

extern "C" __global__ void down(const double* h, const double* h_m,
                                const float* w2, const float* b2, float s2,
                                const float* x, double* y, double* y_m, int L) {
  constexpr int D = 512;
  constexpr int F = 2048;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  const int d = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= L || d >= D) return;
  double sum = 0.0;
  double terms = 0.0;
  double squares = 0.0;
  for (int f = 0; f < F; ++f) {
    const double weight = static_cast<double>(s2) * w2[f * D + d];
    const double term = h[i * F + f] * weight;
    const double carried = h_m[i * F + f] * weight;
    sum += term;
    terms += fabs(term);
    squares += carried * carried;
  }
  const double before = x[i * D + d];
  const double r = before + sum + b2[d];
  y[i * D + d] = r;
  y_m[i * D + d] = sqrt(static_cast<double>(F)) * terms + sqrt(squares) +
                   fabs(sum) + fabs(before) + fabs(static_cast<double>(b2[d])) +
                   fabs(r);
}
