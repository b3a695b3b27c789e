// o = p * v,  p = softmax(sm_scale * q * k^T) head by head, no later positions.
//
// Error model, in units of float16's u:
//   p     those who multiply on tensor cores round it to float16, before the
//         division or after: 1, or 2^-14 below the smallest normal number;
//   o     errors of p are independent, so their squares add, times v; and 1 for
//         rounding the result.
// In units of float32's u, 2^-13 of the others:
//   z     |sm_scale| sqrt(E) sum|q k| (Higham and Mary 2019, theorem 3.1;
//         tensor cores truncate, and so err by less than twice that) and |z|;
//   p     relative: that of z, |z - max| for the subtraction, 4 for exp; for
//         their sum sqrt(n) and the weighted average of those; 2 for dividing,
//         at the beginning or at the end;
//   o     sqrt(n) sum|p v|.
//@ scratch double p[H * L * L]
//@ scratch double p_m[H * L * L]
//@ launch scores<<<(ceil_div(L, 16), ceil_div(L, 16), H), (16, 16)>>>(q, k, sm_scale, p, p_m, int32(L))
//@ launch softmax<<<(L, H), 32>>>(p, p_m, int32(L))
//@ launch weigh<<<(L, H), E>>>(p, p_m, v, o, o_m, int32(L))
#include <cuda_fp16.h>

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

// p = z and p_m = its magnitude.
extern "C" __global__ void scores(const __half* q, const __half* k,
                                  float sm_scale, double* p, double* p_m,
                                  int L) {
  constexpr int H = 8;
  constexpr int E = 64;
  const int h = blockIdx.z;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= L || j > i) return;
  double sum = 0.0;
  double terms = 0.0;
  for (int e = 0; e < E; ++e) {
    // Exact in float: both have few digits.
    const float product = __half2float(q[(i * H + h) * E + e]) *
                          __half2float(k[(j * H + h) * E + e]);
    const double term = static_cast<double>(sm_scale) * product;
    sum += term;
    terms += fabs(term);
  }
  p[(h * L + i) * L + j] = sum;
  p_m[(h * L + i) * L + j] = sqrt(static_cast<double>(E)) * terms + fabs(sum);
}

extern "C" __global__ void softmax(double* p, double* p_m, int L) {
  constexpr double kExp = 4.0;
  constexpr double kDivide = 2.0;
  const int size = blockIdx.x + 1;
  double* z = p + (blockIdx.y * L + blockIdx.x) * L;
  double* m = p_m + (blockIdx.y * L + blockIdx.x) * L;
  double largest = z[0];
  for (int j = threadIdx.x; j < size; j += 32) largest = fmax(largest, z[j]);
  largest = WarpMax(largest);
  __syncwarp();  // All have read z[0].
  double sum = 0.0;
  double weighted = 0.0;
  for (int j = threadIdx.x; j < size; j += 32) {
    m[j] += (largest - z[j]) + kExp;
    z[j] = exp(z[j] - largest);
    sum += z[j];
    weighted += z[j] * m[j];
  }
  sum = WarpSum(sum);
  weighted = WarpSum(weighted);
  const double of_sum =
      sqrt(static_cast<double>(size)) + weighted / sum + kDivide;
  for (int j = threadIdx.x; j < size; j += 32) {
    z[j] /= sum;
    m[j] = z[j] * (m[j] + of_sum);
  }
}

extern "C" __global__ void weigh(const double* p, const double* p_m,
                                 const __half* v, double* o, double* o_m,
                                 int L) {
  constexpr int H = 8;
  constexpr int E = 64;
  constexpr double kFloat32 = 0x1p-13;  // Its u in units of float16's.
  constexpr double kUnderflow = 0x1p-14;
  const int i = blockIdx.x;
  const int h = blockIdx.y;
  const int e = threadIdx.x;
  double sum = 0.0;
  double terms = 0.0;
  double squares = 0.0;
  for (int j = 0; j < i + 1; ++j) {
    const int at = (h * L + i) * L + j;
    const double value = __half2float(v[(j * H + h) * E + e]);
    const double term = p[at] * value;
    const double carried = (p[at] + kUnderflow + kFloat32 * p_m[at]) * value;
    sum += term;
    terms += fabs(term);
    squares += carried * carried;
  }
  const int out = (i * H + h) * E + e;
  o[out] = sum;
  o_m[out] =
      fabs(sum) + kUnderflow + sqrt(squares) + kFloat32 * sqrt(i + 1.0) * terms;
}
