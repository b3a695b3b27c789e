// y = 0.5 x (1 + t),  t = tanh(z),  z = sqrt(2/pi) (x + 0.044715 x^3).
//
// Error model, in units of u.  1 + t cancels for negative x, so the error of t
// is absolute there:
//   tanh     4 |t| for the function (2 ulp), and (1 - t^2) 4 |z| for its
//            argument, which takes about four roundings (all terms of z have
//            one sign);
//   1 + t    |1 + t|, one rounding, and 1, for those who write tanh as
//            1 - 2 / (1 + exp(2 z)) and round the quotient near 1;
//   product  2 |y|.
//   m = 0.5 |x| (4 |t| + 4 (1 - t^2) |z| + |1 + t| + 1) + 2 |y|.
//@ launch oracle<<<ceil_div(N, 256), 256>>>(x, y, y_m, int32(N))
extern "C" __global__ void oracle(const float* x, double* y, double* y_m,
                                  int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N) return;
  const double v = x[i];
  const double z = 0.79788456080286535588 * (v + 0.044715 * v * v * v);
  const double t = tanh(z);
  y[i] = 0.5 * v * (1.0 + t);
  const double of_tanh = 4.0 * fabs(t) + 4.0 * (1.0 - t * t) * fabs(z);
  y_m[i] = 0.5 * fabs(v) * (of_tanh + (1.0 + t) + 1.0) + 2.0 * fabs(y[i]);
}
