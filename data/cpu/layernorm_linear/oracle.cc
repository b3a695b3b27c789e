// y = h * w^T + b,  h = gamma (x - mean) / sqrt(var + epsilon) + beta.
//
// Error model, in units of u:
//   mean    sqrt(K) mean|x|;
//   var     sqrt(K) mean(x^2), relative to var + epsilon, halved by the root;
//   h       those, a rounding of each intermediate, 3 for root, reciprocal and
//           product;
//   y       a sum of K + 1 terms (Higham and Mary 2019, theorem 3.1), and the
//           errors of h, independent of each other, so their squares add.
#include <cmath>
#include <cstdint>
#include <vector>

extern "C" void oracle(const double* x, const double* gamma, const double* beta,
                       const double* w, const double* b, double* y, double* y_m,
                       int64_t M) {
  constexpr int64_t N = 200;
  constexpr int64_t K = 256;
  constexpr double kEpsilon = 1e-5;
  const double n = static_cast<double>(K);
  std::vector<double> transposed(K * N);  // So that the inner loop is over j.
  for (int64_t j = 0; j < N; ++j) {
    for (int64_t k = 0; k < K; ++k) transposed[k * N + j] = w[j * K + k];
  }
  for (int64_t i = 0; i < M; ++i) {
    const double* row = x + i * K;
    double sum = 0.0;
    double terms = 0.0;
    double powers = 0.0;
    for (int64_t k = 0; k < K; ++k) {
      sum += row[k];
      terms += std::abs(row[k]);
      powers += row[k] * row[k];
    }
    const double mean = sum / n;
    double squares = 0.0;
    for (int64_t k = 0; k < K; ++k) {
      squares += (row[k] - mean) * (row[k] - mean);
    }
    const double variance = squares / n + kEpsilon;
    const double scale = 1.0 / std::sqrt(variance);
    const double of_mean = std::sqrt(n) * terms / n;
    const double of_scale = 0.5 * std::sqrt(n) * powers / n / variance + 3.0;

    double out[N];
    double out_terms[N];
    double out_squares[N] = {};
    for (int64_t j = 0; j < N; ++j) {
      out[j] = b[j];
      out_terms[j] = std::abs(b[j]);
    }
    for (int64_t k = 0; k < K; ++k) {
      const double d = row[k] - mean;
      const double scaled = gamma[k] * scale * d;
      const double h = scaled + beta[k];
      const double h_m = std::abs(gamma[k]) * scale *
                             (of_mean + std::abs(row[k]) + std::abs(d)) +
                         std::abs(scaled) * (of_scale + 1.0) + std::abs(h);
      for (int64_t j = 0; j < N; ++j) {
        const double weight = transposed[k * N + j];
        const double term = h * weight;
        out[j] += term;
        out_terms[j] += std::abs(term);
        out_squares[j] += (h_m * weight) * (h_m * weight);
      }
    }
    for (int64_t j = 0; j < N; ++j) {
      y[i * N + j] = out[j];
      y_m[i * N + j] =
          std::sqrt(n + 1.0) * out_terms[j] + std::sqrt(out_squares[j]);
    }
  }
}
