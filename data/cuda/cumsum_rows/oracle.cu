// y_j = x_0 + ... + x_j, along each row.
//
// Error model: each output is a float32 sum of j + 1 terms, in any order and by
// any scheme of partial sums of those terms (Higham and Mary 2019, theorem
// 3.1),
//   m_j = sqrt(j + 1) (|x_0| + ... + |x_j|).
//@ launch oracle<<<R, 32>>>(x, y, y_m, int32(C))

// Sum of this lane's value and those of the lanes before it.
__device__ double WarpScan(double value) {
  for (int step = 1; step < 32; step *= 2) {
    const double before = __shfl_up_sync(0xffffffff, value, step);
    if (threadIdx.x >= step) value += before;
  }
  return value;
}

extern "C" __global__ void oracle(const float* x, double* y, double* y_m,
                                  int C) {
  const long long row = static_cast<long long>(blockIdx.x) * C;
  double sum = 0.0;  // Of all columns before `first`.
  double terms = 0.0;
  for (int first = 0; first < C; first += 32) {
    const int j = first + threadIdx.x;
    const double v = j < C ? x[row + j] : 0.0;
    const double here = sum + WarpScan(v);
    const double terms_here = terms + WarpScan(fabs(v));
    if (j < C) {
      y[row + j] = here;
      y_m[row + j] = sqrt(j + 1.0) * terms_here;
    }
    sum = __shfl_sync(0xffffffff, here, 31);
    terms = __shfl_sync(0xffffffff, terms_here, 31);
  }
}
