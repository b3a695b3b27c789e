// y_j = e_j / s,  e_j = exp(x_j - max x),  s = sum e_j.
//
// Error model, relative to y_j, in units of u:
//   exp      4 for the function (2 ulp), and |x_j - max| for its argument,
//            whose rounding error exp turns into a relative one;
//   s        sqrt(C) for adding C positive terms, and what exp adds to each,
//            averaged with the weights y_j themselves;
//   divide   2, or a reciprocal and a product.
// A result below float's normal range may be flushed to zero: the smallest
// normal number is 2^-102 of our units.
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
  constexpr double kDivide = 2.0;
  constexpr double kUnderflow = 0x1p-102;
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
    y[row + j] = e;
    sum += e;
    weighted += e * (largest - x[row + j]);
  }
  sum = WarpSum(sum);
  weighted = WarpSum(weighted);
  const double of_sum = sqrt(static_cast<double>(C)) + kExp + weighted / sum;
  for (int j = threadIdx.x; j < C; j += 32) {
    y[row + j] /= sum;
    const double of_exp = kExp + (largest - x[row + j]);
    y_m[row + j] = y[row + j] * (of_exp + of_sum + kDivide) + kUnderflow;
  }
}
