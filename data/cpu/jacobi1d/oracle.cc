// STEPS sweeps, each the mean of an element and its two neighbours.
//
// Error model.  A sweep is a sum of n = 3 terms of magnitude s = sum|v| / 3
// each, and a division, so it errs by sqrt(n) s + |mean| <= (sqrt(n) + 1) s,
// and by 2^-150 where it underflows.  Errors of former sweeps are carried on
// with the weights 1/3, and neighbours may owe theirs to the same one; those of
// two sweeps are independent:
//   m^2 <- (mean of m)^2 + ((sqrt(n) + 1) s + 2^-126)^2.
#include <cmath>
#include <cstdint>
#include <vector>

extern "C" void oracle(const double* x, double* y, double* y_m, int64_t N) {
  constexpr int64_t STEPS = 40;
  const double growth = std::sqrt(3.0) + 1.0;
  std::vector<double> value(x, x + N);
  std::vector<double> error(N, 0.0);  // m
  std::vector<double> next = value;
  std::vector<double> next_error = error;
  for (int64_t t = 0; t < STEPS; ++t) {
    for (int64_t i = 1; i < N - 1; ++i) {
      const double s =
          0x1p-126 + growth / 3.0 *
                         (std::abs(value[i - 1]) + std::abs(value[i]) +
                          std::abs(value[i + 1]));
      next[i] = (value[i - 1] + value[i] + value[i + 1]) / 3.0;
      next_error[i] =
          std::hypot((error[i - 1] + error[i] + error[i + 1]) / 3.0, s);
    }
    value.swap(next);
    error.swap(next_error);
  }
  for (int64_t i = 0; i < N; ++i) {
    y[i] = value[i];
    y_m[i] = error[i];
  }
}
