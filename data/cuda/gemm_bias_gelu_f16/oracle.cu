// y = gelu(z),  z = scale * x * w + b.
//
// Error model, in units of float16's u: 1 for rounding the result, whose
// smallest normal number is 2^-14; and 0.5 |z t| for those who take tanh from
// the hardware, whose relative error is 2^-11 (PTX ISA, tanh.approx.f32), as
// cuBLASLt does.  In float32's:
//   product  sqrt(K) sum|x w| (Higham and Mary 2019, theorem 3.1; tensor cores
//            truncate, and so err by less than twice that);
//   z        scale times that, |scale x w| and |z| for scaling and adding;
//   gelu     |gelu'(z)| times the error of z, and its own: see Gelu().
//@ launch oracle<<<(ceil_div(N, 16), ceil_div(M, 16)), (16, 16)>>>(x, w, b, scale, y, y_m, int32(M))
#include <cuda_fp16.h>

// gelu and how far off it may be, in units of float32's u, if z is off by z_m;
// t_m is what a tanh off by its own magnitude adds.
// Own error: tanh to 4 u |t|, its argument a to 4 u |a| (four roundings), then
// 1 + t, which cancels for negative z, and the products.
__device__ void Gelu(double z, double z_m, double* y, double* y_m,
                     double* t_m) {
  const double c = 0.79788456080286535588;  // sqrt(2 / pi)
  const double a = c * (z + 0.044715 * z * z * z);
  const double t = tanh(a);
  const double t_slope = 1.0 - t * t;
  const double slope =
      0.5 * (1.0 + t) + 0.5 * z * t_slope * c * (1.0 + 3.0 * 0.044715 * z * z);
  *y = 0.5 * z * (1.0 + t);
  const double of_tanh = 4.0 * fabs(t) + 4.0 * t_slope * fabs(a);
  *t_m = 0.5 * fabs(z * t);
  *y_m = fabs(slope) * z_m + 0.5 * fabs(z) * (of_tanh + (1.0 + t) + 1.0) +
         2.0 * fabs(*y);
}

extern "C" __global__ void oracle(const __half* x, const __half* w,
                                  const __half* b, float scale, double* y,
                                  double* y_m, int M) {
  constexpr int N = 1024;
  constexpr int K = 1024;
  constexpr double kFloat32 = 0x1p-13;  // Its u in units of float16's.
  constexpr double kUnderflow = 0x1p-14;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= M || j >= N) return;
  double sum = 0.0;
  double terms = 0.0;
  for (int k = 0; k < K; ++k) {
    // Exact in float: both have few digits.
    const double term = __half2float(x[i * K + k]) * __half2float(w[k * N + j]);
    sum += term;
    terms += fabs(term);
  }
  const double scaled = scale * sum;
  const double z = scaled + __half2float(b[j]);
  const double growth = sqrt(static_cast<double>(K));
  const double z_m = fabs(static_cast<double>(scale)) * growth * terms +
                     fabs(scaled) + fabs(z);
  double r = 0.0;
  double r_m = 0.0;
  double of_hardware = 0.0;
  Gelu(z, z_m, &r, &r_m, &of_hardware);
  y[i * N + j] = r;
  y_m[i * N + j] = fabs(r) + of_hardware + kUnderflow + kFloat32 * r_m;
}
