// y_j = gamma_j d_j / s + beta_j,  d_j = x_j - mean,  s = sqrt(var + epsilon).
//
// Error model, in units of u:
//   mean   sqrt(C) mean|x| (a sum of C terms, over C);
//   var    sqrt(C) mean(x^2), which also admits mean(x^2) - mean^2; relative to
//          var + epsilon, and halved by the square root;
//   d_j    that of the mean, |x_j| and |d_j| for the subtraction;
//   scale  3 for square root, reciprocal and product; then |y - beta| and |y|.
#include <cmath>
#include <cstdint>

extern "C" void oracle(const double* x, const double* gamma, const double* beta,
                       double* y, double* y_m, int64_t R, int64_t C) {
  constexpr double kEpsilon = 1e-5;
  const double n = static_cast<double>(C);
  for (int64_t i = 0; i < R; ++i) {
    const double* row = x + i * C;
    double sum = 0.0;
    double terms = 0.0;
    double powers = 0.0;
    for (int64_t j = 0; j < C; ++j) {
      sum += row[j];
      terms += std::abs(row[j]);
      powers += row[j] * row[j];
    }
    const double mean = sum / n;
    double squares = 0.0;
    for (int64_t j = 0; j < C; ++j) {
      squares += (row[j] - mean) * (row[j] - mean);
    }
    const double variance = squares / n + kEpsilon;
    const double scale = 1.0 / std::sqrt(variance);
    const double of_mean = std::sqrt(n) * terms / n;
    const double of_scale = 0.5 * std::sqrt(n) * powers / n / variance + 3.0;
    for (int64_t j = 0; j < C; ++j) {
      const double d = row[j] - mean;
      const double of_d = of_mean + std::abs(row[j]) + std::abs(d);
      const double scaled = gamma[j] * scale * d;
      y[i * C + j] = scaled + beta[j];
      y_m[i * C + j] = std::abs(gamma[j]) * scale * of_d +
                       std::abs(scaled) * (of_scale + 1.0) +
                       std::abs(y[i * C + j]);
    }
  }
}
