// y_j = w_j x_j / sqrt(mean(x^2) + epsilon).
//
// Error model, relative to y_j, in units of u: the mean of n squares errs by
// sqrt(n) (all terms positive), which the square root halves; 3 for square
// root, reciprocal and epsilon; 2 for the products.
#include <cmath>
#include <cstdint>

extern "C" void oracle(const double* hidden_states, const double* weight,
                       double* output, double* output_m, int64_t batch_size) {
  constexpr int64_t hidden_size = 1000;
  constexpr double kEpsilon = 1e-6;
  const double n = static_cast<double>(hidden_size);
  const double relative = 0.5 * std::sqrt(n) + 5.0;
  for (int64_t i = 0; i < batch_size; ++i) {
    const double* row = hidden_states + i * hidden_size;
    double squares = 0.0;
    for (int64_t j = 0; j < hidden_size; ++j) squares += row[j] * row[j];
    const double scale = 1.0 / std::sqrt(squares / n + kEpsilon);
    for (int64_t j = 0; j < hidden_size; ++j) {
      const double r = row[j] * scale * weight[j];
      output[i * hidden_size + j] = r;
      output_m[i * hidden_size + j] = relative * std::abs(r);
    }
  }
}
