// y = sum of each row.
//
// Error model: a float32 sum of C terms in any order (Higham and Mary 2019,
// theorem 3.1),
//   m = sqrt(C) sum|x_j|.
//@ launch oracle<<<R, 32>>>(x, y, y_m, int32(C))

// Sum over the warp.
__device__ double WarpSum(double value) {
  for (int step = 16; step > 0; step /= 2) {
    value += __shfl_xor_sync(0xffffffff, value, step);
  }
  return value;
}

extern "C" __global__ void oracle(const float* x, double* y, double* y_m,
                                  int C) {
  const long long row = static_cast<long long>(blockIdx.x) * C;
  double sum = 0.0;
  double terms = 0.0;
  for (int j = threadIdx.x; j < C; j += 32) {
    sum += x[row + j];
    terms += fabs(static_cast<double>(x[row + j]));
  }
  sum = WarpSum(sum);
  terms = WarpSum(terms);
  if (threadIdx.x == 0) {
    y[blockIdx.x] = sum;
    y_m[blockIdx.x] = sqrt(static_cast<double>(C)) * terms;
  }
}
