// A recursive filter of second order (direct form I) along each row.
//
// Error model.  A sample is a sum of n = 5 terms, whose coefficients are
// rounded to float32, and errs by sqrt(n) (sum|terms| + 2^-126), the last for
// terms that underflow, each off by 2^-150.  An error goes on through the
// recursion, whose response to a unit is h(k) > 0 for the poles 0.9 and 0.5; so
// errors add up by the same recursion:
//   m <- sqrt(n) (sum|terms| + 2^-126) + 1.4 m1 - 0.45 m2.
#include <cmath>
#include <cstdint>

extern "C" void oracle(const double* x, double* y, double* y_m, int64_t B,
                       int64_t N) {
  const double growth = std::sqrt(5.0);
  for (int64_t b = 0; b < B; ++b) {
    double x1 = 0.0;
    double x2 = 0.0;
    double y1 = 0.0;
    double y2 = 0.0;
    double m1 = 0.0;
    double m2 = 0.0;
    for (int64_t n = 0; n < N; ++n) {
      const double x0 = x[b * N + n];
      const double terms[] = {0.0125 * x0, 0.025 * x1, 0.0125 * x2, 1.4 * y1,
                              -0.45 * y2};
      double y0 = 0.0;
      double m0 = 1.4 * m1 - 0.45 * m2 + growth * 0x1p-126;
      for (const double term : terms) {
        y0 += term;
        m0 += growth * std::abs(term);
      }
      y[b * N + n] = y0;
      y_m[b * N + n] = m0;
      x2 = x1;
      x1 = x0;
      y2 = y1;
      y1 = y0;
      m2 = m1;
      m1 = m0;
    }
  }
}
