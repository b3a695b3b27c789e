// sum = h + r;  output_j = w_j sum_j / sqrt(mean(sum^2) + epsilon).
//
// Error model, relative to each result, in units of bfloat16's u:
//   sum      1, its rounding;
//   output   1 for its own, and 1 for those who start from the rounded sum,
//            which averages out in the mean of 4096 squares.  In float32's:
//            sqrt(n) for the mean, halved by the square root; 3 for square
//            root, reciprocal and epsilon; 2 for the products.
//@ launch oracle<<<batch_size, 32>>>(hidden_states, residual, weight, output, sum, output_m, sum_m)
#include <cuda_bf16.h>

// Sum over the warp.
__device__ double WarpSum(double value) {
  for (int step = 16; step > 0; step /= 2) {
    value += __shfl_xor_sync(0xffffffff, value, step);
  }
  return value;
}

extern "C" __global__ void oracle(const __nv_bfloat16* hidden_states,
                                  const __nv_bfloat16* residual,
                                  const __nv_bfloat16* weight, double* output,
                                  double* sum, double* output_m,
                                  double* sum_m) {
  constexpr int hidden_size = 4096;
  constexpr double kEpsilon = 1e-6;
  constexpr double kFloat32 = 0x1p-16;  // Its u in units of bfloat16's.
  const double n = hidden_size;
  const double relative = 2.0 + kFloat32 * (0.5 * sqrt(n) + 5.0);
  const long long row = static_cast<long long>(blockIdx.x) * hidden_size;
  double squares = 0.0;
  for (int j = threadIdx.x; j < hidden_size; j += 32) {
    const double x =
        static_cast<double>(__bfloat162float(hidden_states[row + j])) +
        __bfloat162float(residual[row + j]);
    sum[row + j] = x;
    sum_m[row + j] = fabs(x);
    squares += x * x;
  }
  const double scale = 1.0 / sqrt(WarpSum(squares) / n + kEpsilon);
  for (int j = threadIdx.x; j < hidden_size; j += 32) {
    const double r = sum[row + j] * scale * __bfloat162float(weight[j]);
    output[row + j] = r;
    output_m[row + j] = relative * fabs(r);
  }
}
