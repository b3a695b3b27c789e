// y_j = x_j - (max + log s),  s = sum exp(x_j - max).
//
// Error model, absolute, in units of u:
//   s        relative error sqrt(C) for adding C positive terms, and 4 for exp
//            and |x_j - max| for its argument, averaged with weights exp; log
//            turns it into the same absolute error;
//   log      4 |log s| for the function (2 ulp);
//   sums     one rounding of every intermediate, in either order of adding:
//            |x_j - max|, |max + log s| and |y_j|.
//@ launch oracle<<<R, 32>>>(x, y, y_m, int32(C))

// Sum over the warp.
__device__ double WarpSum(double value) {
  for (int step = 16; step > 0; step /= 2) {
    value += __shfl_xor_sync(0xffffffff, value, step);
  }
  return value;
}

__device__ double WarpMax(double value) {
  for (int step = 16; step > 0; step /= 2) {
    value = fmax(value, __shfl_xor_sync(0xffffffff, value, step));
  }
  return value;
}

extern "C" __global__ void oracle(const float* x, double* y, double* y_m,
                                  int C) {
  constexpr double kExp = 4.0;
  constexpr double kLog = 4.0;
  const long long row = static_cast<long long>(blockIdx.x) * C;
  double largest = x[row];
  for (int j = threadIdx.x; j < C; j += 32) {
    largest = fmax(largest, static_cast<double>(x[row + j]));
  }
  largest = WarpMax(largest);
  double sum = 0.0;
  double weighted = 0.0;  // Sum of e_j |x_j - max|.
  for (int j = threadIdx.x; j < C; j += 32) {
    const double e = exp(x[row + j] - largest);
    sum += e;
    weighted += e * (largest - x[row + j]);
  }
  sum = WarpSum(sum);
  weighted = WarpSum(weighted);
  const double log_sum = log(sum);
  const double shift = largest + log_sum;
  const double of_shift = sqrt(static_cast<double>(C)) + kExp + weighted / sum +
                          kLog * fabs(log_sum) + fabs(shift);
  for (int j = threadIdx.x; j < C; j += 32) {
    const double r = x[row + j] - shift;
    y[row + j] = r;
    y_m[row + j] = of_shift + (largest - x[row + j]) + fabs(r);
  }
}
