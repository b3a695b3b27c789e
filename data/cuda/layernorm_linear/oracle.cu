// y = h * w^T + b,  h = gamma (x - mean) / sqrt(var + epsilon) + beta.
//
// Error model, in units of u:
//   mean    sqrt(K) mean|x|;
//   var     sqrt(K) mean(x^2), relative to var + epsilon, halved by the root;
//   h       those, a rounding of each intermediate, 3 for root, reciprocal and
//           product;
//   y       a sum of K + 1 terms (Higham and Mary 2019, theorem 3.1), and the
//           errors of h, independent of each other, so their squares add.
//@ scratch double h[M * K]
//@ scratch double h_m[M * K]
//@ launch layernorm<<<M, 32>>>(x, gamma, beta, h, h_m)
//@ launch linear<<<(ceil_div(N, 16), ceil_div(M, 16)), (16, 16)>>>(h, h_m, w, b, y, y_m, int32(M))

// Sum over the warp.
__device__ double WarpSum(double value) {
  for (int step = 16; step > 0; step /= 2) {
    value += __shfl_xor_sync(0xffffffff, value, step);
  }
  return value;
}

extern "C" __global__ void layernorm(const float* x, const float* gamma,
                                     const float* beta, double* h,
                                     double* h_m) {
  constexpr int K = 1024;
  constexpr double kEpsilon = 1e-5;
  const double n = K;
  const long long row = static_cast<long long>(blockIdx.x) * K;
  double sum = 0.0;
  double terms = 0.0;
  double powers = 0.0;
  for (int k = threadIdx.x; k < K; k += 32) {
    const double v = x[row + k];
    sum += v;
    terms += fabs(v);
    powers += v * v;
  }
  sum = WarpSum(sum);
  terms = WarpSum(terms);
  powers = WarpSum(powers);
  const double mean = sum / n;
  double squares = 0.0;
  for (int k = threadIdx.x; k < K; k += 32) {
    squares += (x[row + k] - mean) * (x[row + k] - mean);
  }
  const double variance = WarpSum(squares) / n + kEpsilon;
  const double scale = 1.0 / sqrt(variance);
  const double of_mean = sqrt(n) * terms / n;
  const double of_scale = 0.5 * sqrt(n) * powers / n / variance + 3.0;
  for (int k = threadIdx.x; k < K; k += 32) {
    const double v = x[row + k];
    const double scaled = gamma[k] * scale * (v - mean);
    const double r = scaled + beta[k];
    h[row + k] = r;
    h_m[row + k] = fabs(static_cast<double>(gamma[k])) * scale *
                       (of_mean + fabs(v) + fabs(v - mean)) +
                   fabs(scaled) * (of_scale + 1.0) + fabs(r);
  }
}

extern "C" __global__ void linear(const double* h, const double* h_m,
                                  const float* w, const float* b, double* y,
                                  double* y_m, int M) {
  constexpr int N = 512;
  constexpr int K = 1024;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= M || j >= N) return;
  double sum = b[j];
  double terms = fabs(sum);
  double squares = 0.0;
  for (int k = 0; k < K; ++k) {
    const double weight = w[j * K + k];
    const double term = h[i * K + k] * weight;
    const double carried = h_m[i * K + k] * weight;
    sum += term;
    terms += fabs(term);
    squares += carried * carried;
  }
  y[i * N + j] = sum;
  y_m[i * N + j] = sqrt(K + 1.0) * terms + sqrt(squares);
}
