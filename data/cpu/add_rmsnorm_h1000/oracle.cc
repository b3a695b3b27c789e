// sum = h + r;  output_j = w_j sum_j / sqrt(mean(sum^2) + epsilon).
//
// Error model, relative to each result, in units of u:
//   sum      1, its only rounding;
//   output   that 1; sqrt(n) for the mean of n squares and 2 for the roundings
//            of sum in it, halved by the square root; 3 for square root,
//            reciprocal and epsilon; 2 for the products.
#include <cmath>
#include <cstdint>

extern "C" void oracle(const double* hidden_states, const double* residual,
                       const double* weight, double* output, double* sum,
                       double* output_m, double* sum_m, int64_t batch_size) {
  constexpr int64_t hidden_size = 1000;
  constexpr double kEpsilon = 1e-6;
  const double n = static_cast<double>(hidden_size);
  const double relative = 1.0 + 0.5 * (std::sqrt(n) + 2.0) + 5.0;
  for (int64_t i = 0; i < batch_size; ++i) {
    const int64_t row = i * hidden_size;
    double squares = 0.0;
    for (int64_t j = row; j < row + hidden_size; ++j) {
      sum[j] = hidden_states[j] + residual[j];
      sum_m[j] = std::abs(sum[j]);
      squares += sum[j] * sum[j];
    }
    const double scale = 1.0 / std::sqrt(squares / n + kEpsilon);
    for (int64_t j = 0; j < hidden_size; ++j) {
      const double r = sum[row + j] * scale * weight[j];
      output[row + j] = r;
      output_m[row + j] = relative * std::abs(r);
    }
  }
}
