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
#include <cmath>
#include <cstdint>
#include <numbers>

extern "C" void oracle(const double* x, double* y, double* y_m, int64_t N) {
  const double root_2_over_pi = std::sqrt(2.0 / std::numbers::pi);
  for (int64_t i = 0; i < N; ++i) {
    const double z = root_2_over_pi * (x[i] + 0.044715 * x[i] * x[i] * x[i]);
    const double t = std::tanh(z);
    y[i] = 0.5 * x[i] * (1.0 + t);
    const double of_tanh =
        4.0 * std::abs(t) + 4.0 * (1.0 - t * t) * std::abs(z);
    y_m[i] = 0.5 * std::abs(x[i]) * (of_tanh + (1.0 + t) + 1.0) +
             2.0 * std::abs(y[i]);
  }
}
