// y_j = e_j / s,  e_j = exp(x_j - max x),  s = sum e_j.
//
// Error model, relative to y_j, in units of u:
//   exp      4 for the function (2 ulp), and |x_j - max| for its argument,
//            whose rounding error exp turns into a relative one;
//   s        sqrt(C) for adding C positive terms, and what exp adds to each,
//            averaged with the weights y_j themselves;
//   divide   2, or a reciprocal and a product.
// A result below float's normal range may be flushed to zero: the smallest
// normal number is 2^-102 of our units.
#include <algorithm>
#include <cmath>
#include <cstdint>

extern "C" void oracle(const double* x, double* y, double* y_m, int64_t R,
                       int64_t C) {
  constexpr double kExp = 4.0;
  constexpr double kDivide = 2.0;
  constexpr double kUnderflow = 0x1p-102;
  for (int64_t i = 0; i < R; ++i) {
    const double* row = x + i * C;
    const double largest = *std::max_element(row, row + C);
    double sum = 0.0;
    double weighted = 0.0;  // Sum of e_j |x_j - max|.
    for (int64_t j = 0; j < C; ++j) {
      const double e = std::exp(row[j] - largest);
      y[i * C + j] = e;
      sum += e;
      weighted += e * (largest - row[j]);
    }
    const double of_sum =
        std::sqrt(static_cast<double>(C)) + kExp + weighted / sum;
    for (int64_t j = 0; j < C; ++j) {
      y[i * C + j] /= sum;
      const double of_exp = kExp + (largest - row[j]);
      y_m[i * C + j] = y[i * C + j] * (of_exp + of_sum + kDivide) + kUnderflow;
    }
  }
}
