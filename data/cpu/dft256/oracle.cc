// The discrete Fourier transform of rows of N = 256 complex numbers.
//
// Error model.  Each output is a sum of N complex products; a complex product
// errs relative to its modulus, which is that of x since |w| = 1.  In any order
// (Higham and Mary 2019, theorem 3.1), and so for fast transforms,
//   m = sqrt(N) sum|x|.
#include <cmath>
#include <cstdint>
#include <numbers>

extern "C" void oracle(const double* x_re, const double* x_im, double* y_re,
                       double* y_im, double* y_re_m, double* y_im_m,
                       int64_t B) {
  constexpr int64_t N = 256;
  double c[N];
  double s[N];
  for (int64_t n = 0; n < N; ++n) {
    const double angle = -2.0 * std::numbers::pi * static_cast<double>(n) / N;
    c[n] = std::cos(angle);
    s[n] = std::sin(angle);
  }
  for (int64_t b = 0; b < B; ++b) {
    const double* re = x_re + b * N;
    const double* im = x_im + b * N;
    double moduli = 0.0;
    for (int64_t n = 0; n < N; ++n) moduli += std::hypot(re[n], im[n]);
    for (int64_t k = 0; k < N; ++k) {
      double sum_re = 0.0;
      double sum_im = 0.0;
      for (int64_t n = 0; n < N; ++n) {
        const int64_t turn = n * k % N;
        sum_re += re[n] * c[turn] - im[n] * s[turn];
        sum_im += re[n] * s[turn] + im[n] * c[turn];
      }
      y_re[b * N + k] = sum_re;
      y_im[b * N + k] = sum_im;
      y_re_m[b * N + k] = 16.0 * moduli;
      y_im_m[b * N + k] = 16.0 * moduli;
    }
  }
}
