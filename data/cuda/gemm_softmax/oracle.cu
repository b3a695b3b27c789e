// y_j = e_j / s,  e_j = exp(z_j - max z),  s = sum e_j,  z = scale * q * k^T.
//
// Error model, in units of u:
//   z_j      |scale| sqrt(K) sum|q k| (Higham and Mary 2019, theorem 3.1) and
//            |z_j| for the scaling;
//   e_j      relative: d = that of z_j, |z_j - max| for the subtraction, 4 for
//            exp; in the exponent where it is large: (exp(u d) - 1) / u;
//   s        relative: sqrt(N) for adding positive terms, and the average of
//            the e_j's with their own weights;
//   divide   2.  A result below float's normal range (2^-102 of our units) may
//            be flushed to zero.
// No result is farther off than 1, which is 2^21 with the task's factor of 8:
// where z is large and all of its difference lies in what is rounded away.
//@ launch scores<<<(ceil_div(N, 16), ceil_div(M, 16)), (16, 16)>>>(q, k, scale, y, y_m, int32(M), int32(N))
//@ launch softmax<<<M, 32>>>(y, y_m, int32(N))

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

// y = z and y_m = its magnitude.
extern "C" __global__ void scores(const float* q, const float* k, float scale,
                                  double* y, double* y_m, int M, int N) {
  constexpr int K = 64;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= M || j >= N) return;
  double sum = 0.0;
  double terms = 0.0;
  for (int d = 0; d < K; ++d) {
    const double term =
        static_cast<double>(scale) * q[i * K + d] * k[j * K + d];
    sum += term;
    terms += fabs(term);
  }
  y[i * N + j] = sum;
  y_m[i * N + j] = sqrt(static_cast<double>(K)) * terms + fabs(sum);
}

extern "C" __global__ void softmax(double* y, double* y_m, int N) {
  constexpr double kExp = 4.0;
  constexpr double kDivide = 2.0;
  constexpr double kUnderflow = 0x1p-102;
  constexpr double kUnit = 0x1p-24;
  constexpr double kMostExponent = 100.0;
  constexpr double kFarthest = 0x1p21;
  double* z = y + static_cast<long long>(blockIdx.x) * N;
  double* m = y_m + static_cast<long long>(blockIdx.x) * N;
  double largest = z[0];
  for (int j = threadIdx.x; j < N; j += 32) largest = fmax(largest, z[j]);
  largest = WarpMax(largest);
  __syncwarp();  // All have read z[0].
  double sum = 0.0;
  double weighted = 0.0;
  for (int j = threadIdx.x; j < N; j += 32) {
    m[j] += (largest - z[j]) + kExp;
    m[j] = expm1(fmin(kUnit * m[j], kMostExponent)) / kUnit;
    z[j] = exp(z[j] - largest);
    sum += z[j];
    weighted += z[j] * m[j];
  }
  sum = WarpSum(sum);
  weighted = WarpSum(weighted);
  const double of_sum = sqrt(static_cast<double>(N)) + weighted / sum + kDivide;
  for (int j = threadIdx.x; j < N; j += 32) {
    z[j] /= sum;
    m[j] = fmin(z[j] * (m[j] + of_sum) + kUnderflow, kFarthest);
  }
}
