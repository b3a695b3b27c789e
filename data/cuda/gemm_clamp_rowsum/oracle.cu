// y_i = sum_j c_ij,  c = clamp(z, low, high),  z = scale * A * B.
//
// Error model, in units of u:
//   z     |scale| sqrt(K) sum|a b| (Higham and Mary 2019, theorem 3.1) and |z|
//         for the scaling; clamp never enlarges an error;
//   sum   the errors of the N terms are independent, so their squares add;
//         and sqrt(N) sum|c| for the adding.
//@ scratch double c[M * N]
//@ scratch double c_m[M * N]
//@ launch gemm_clamp<<<(ceil_div(N, 16), ceil_div(M, 16)), (16, 16)>>>(A, B, scale, low, high, c, c_m, int32(M), int32(N), int32(K))
//@ launch row_sum<<<M, 32>>>(c, c_m, y, y_m, int32(N))

// Sum over the warp.
__device__ double WarpSum(double value) {
  for (int step = 16; step > 0; step /= 2) {
    value += __shfl_xor_sync(0xffffffff, value, step);
  }
  return value;
}

extern "C" __global__ void gemm_clamp(const float* A, const float* B,
                                      float scale, float low, float high,
                                      double* c, double* c_m, int M, int N,
                                      int K) {
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= M || j >= N) return;
  double z = 0.0;
  double terms = 0.0;
  for (int k = 0; k < K; ++k) {
    const double term =
        static_cast<double>(scale) * A[i * K + k] * B[k * N + j];
    z += term;
    terms += fabs(term);
  }
  c[i * N + j] =
      fmin(fmax(z, static_cast<double>(low)), static_cast<double>(high));
  c_m[i * N + j] = sqrt(static_cast<double>(K)) * terms + fabs(z);
}

extern "C" __global__ void row_sum(const double* c, const double* c_m,
                                   double* y, double* y_m, int N) {
  const long long row = static_cast<long long>(blockIdx.x) * N;
  double sum = 0.0;
  double terms = 0.0;
  double squares = 0.0;
  for (int j = threadIdx.x; j < N; j += 32) {
    sum += c[row + j];
    terms += fabs(c[row + j]);
    squares += c_m[row + j] * c_m[row + j];
  }
  sum = WarpSum(sum);
  terms = WarpSum(terms);
  squares = WarpSum(squares);
  if (threadIdx.x == 0) {
    y[blockIdx.x] = sum;
    y_m[blockIdx.x] = sqrt(static_cast<double>(N)) * terms + sqrt(squares);
  }
}
