// y_j = e_j / s,  e_j = exp(z_j - max z),  s = sum e_j,  z = scale * q * k^T.
//
// Error model, in units of u:
//   z_j      |scale| sqrt(K) sum|q k| (Higham and Mary 2019, theorem 3.1) and
//            |z_j| for the scaling;
//   e_j      relative: that of z_j, |z_j - max| for the subtraction, 4 for exp;
//   s        relative: sqrt(N) for adding positive terms, and the average of
//            the e_j's with their own weights;
//   divide   2.  A result below float's normal range (2^-102 of our units) may
//            be flushed to zero.
// First order, so z_j must be known to some digits behind the point: not where
// all q and k are near 2^12 (tag "without:offset").
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

extern "C" void oracle(const double* q, const double* k, double scale,
                       double* y, double* y_m, int64_t M, int64_t N) {
  constexpr int64_t K = 64;
  constexpr double kExp = 4.0;
  constexpr double kDivide = 2.0;
  constexpr double kUnderflow = 0x1p-102;
  const double growth = std::sqrt(static_cast<double>(K));
  std::vector<double> transposed(K * N);  // So that the inner loop is over j.
  for (int64_t j = 0; j < N; ++j) {
    for (int64_t d = 0; d < K; ++d) transposed[d * N + j] = k[j * K + d];
  }
  for (int64_t i = 0; i < M; ++i) {
    double* z = y + i * N;
    double* m = y_m + i * N;
    for (int64_t j = 0; j < N; ++j) z[j] = m[j] = 0.0;
    for (int64_t d = 0; d < K; ++d) {
      for (int64_t j = 0; j < N; ++j) {
        const double term = scale * q[i * K + d] * transposed[d * N + j];
        z[j] += term;
        m[j] += std::abs(term);
      }
    }
    const double largest = *std::max_element(z, z + N);
    double sum = 0.0;
    double weighted = 0.0;
    for (int64_t j = 0; j < N; ++j) {
      m[j] = growth * m[j] + std::abs(z[j]) + (largest - z[j]) + kExp;
      z[j] = std::exp(z[j] - largest);
      sum += z[j];
      weighted += z[j] * m[j];
    }
    const double of_sum =
        std::sqrt(static_cast<double>(N)) + weighted / sum + kDivide;
    for (int64_t j = 0; j < N; ++j) {
      y[i * N + j] = z[j] / sum;
      y_m[i * N + j] = y[i * N + j] * (m[j] + of_sum) + kUnderflow;
    }
  }
}
