// y = A * x.
//
// Error model: a float32 dot product of K terms in any order (Higham and Mary
// 2019, theorem 3.1),
//   m = sqrt(K) sum|a_k x_k|.
//@ launch oracle<<<M, 32>>>(A, x, y, y_m, int32(K))

// Sum over the warp.
__device__ double WarpSum(double value) {
  for (int step = 16; step > 0; step /= 2) {
    value += __shfl_xor_sync(0xffffffff, value, step);
  }
  return value;
}

extern "C" __global__ void oracle(const float* A, const float* x, double* y,
                                  double* y_m, int K) {
  const long long row = static_cast<long long>(blockIdx.x) * K;
  double sum = 0.0;
  double terms = 0.0;
  for (int k = threadIdx.x; k < K; k += 32) {
    const double term =
        static_cast<double>(A[row + k]) * static_cast<double>(x[k]);
    sum += term;
    terms += fabs(term);
  }
  sum = WarpSum(sum);
  terms = WarpSum(terms);
  if (threadIdx.x == 0) {
    y[blockIdx.x] = sum;
    y_m[blockIdx.x] = sqrt(static_cast<double>(K)) * terms;
  }
}
