// y_j = x_j - (max + log s),  s = sum exp(x_j - max).
//
// Error model, absolute, in units of u:
//   s        relative error sqrt(C) for adding C positive terms, and 4 for exp
//            and |x_j - max| for its argument, averaged with weights exp; log
//            turns it into the same absolute error;
//   log      4 |log s| for the function (2 ulp);
//   sums     one rounding of every intermediate, in either order of adding:
//            |x_j - max|, |max + log s| and |y_j|.
#include <algorithm>
#include <cmath>
#include <cstdint>

extern "C" void oracle(const double* x, double* y, double* y_m, int64_t R,
                       int64_t C) {
  constexpr double kExp = 4.0;
  constexpr double kLog = 4.0;
  for (int64_t i = 0; i < R; ++i) {
    const double* row = x + i * C;
    const double largest = *std::max_element(row, row + C);
    double sum = 0.0;
    double weighted = 0.0;  // Sum of e_j |x_j - max|.
    for (int64_t j = 0; j < C; ++j) {
      const double e = std::exp(row[j] - largest);
      sum += e;
      weighted += e * (largest - row[j]);
    }
    const double log_sum = std::log(sum);
    const double shift = largest + log_sum;
    const double of_shift = std::sqrt(static_cast<double>(C)) + kExp +
                            weighted / sum + kLog * std::abs(log_sum) +
                            std::abs(shift);
    for (int64_t j = 0; j < C; ++j) {
      const double r = row[j] - shift;
      y[i * C + j] = r;
      y_m[i * C + j] = of_shift + (largest - row[j]) + std::abs(r);
    }
  }
}
