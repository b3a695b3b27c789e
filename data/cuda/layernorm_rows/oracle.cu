// y_j = gamma_j d_j / s + beta_j,  d_j = x_j - mean,  s = sqrt(var + epsilon).
//
// Error model, in units of u:
//   mean   sqrt(C) mean|x| (a sum of C terms, over C);
//   var    sqrt(C) mean(x^2), which also admits mean(x^2) - mean^2; relative to
//          var + epsilon, and halved by the square root;
//   d_j    that of the mean, |x_j| and |d_j| for the subtraction;
//   scale  3 for square root, reciprocal and product; then |y - beta| and |y|.
//@ launch oracle<<<R, 32>>>(x, gamma, beta, y, y_m, int32(C))

// Sum over the warp.
__device__ double WarpSum(double value) {
  for (int step = 16; step > 0; step /= 2) {
    value += __shfl_xor_sync(0xffffffff, value, step);
  }
  return value;
}

extern "C" __global__ void oracle(const float* x, const float* gamma,
                                  const float* beta, double* y, double* y_m,
                                  int C) {
  constexpr double kEpsilon = 1e-5;
  const double n = C;
  const long long row = static_cast<long long>(blockIdx.x) * C;
  double sum = 0.0;
  double terms = 0.0;
  double powers = 0.0;
  for (int j = threadIdx.x; j < C; j += 32) {
    const double v = x[row + j];
    sum += v;
    terms += fabs(v);
    powers += v * v;
  }
  sum = WarpSum(sum);
  terms = WarpSum(terms);
  powers = WarpSum(powers);
  const double mean = sum / n;
  double squares = 0.0;
  for (int j = threadIdx.x; j < C; j += 32) {
    squares += (x[row + j] - mean) * (x[row + j] - mean);
  }
  const double variance = WarpSum(squares) / n + kEpsilon;
  const double scale = 1.0 / sqrt(variance);
  const double of_mean = sqrt(n) * terms / n;
  const double of_scale = 0.5 * sqrt(n) * powers / n / variance + 3.0;
  for (int j = threadIdx.x; j < C; j += 32) {
    const double d = x[row + j] - mean;
    const double of_d =
        of_mean + fabs(static_cast<double>(x[row + j])) + fabs(d);
    const double scaled = gamma[j] * scale * d;
    const double r = scaled + beta[j];
    y[row + j] = r;
    y_m[row + j] = fabs(static_cast<double>(gamma[j])) * scale * of_d +
                   fabs(scaled) * (of_scale + 1.0) + fabs(r);
  }
}
