// y_i = sum_j c_ij,  c = clamp(z, low, high),  z = scale * A * B.
//
// Error model, in units of u:
//   z     |scale| sqrt(K) sum|a b| (Higham and Mary 2019, theorem 3.1) and |z|
//         for the scaling; clamp never enlarges an error;
//   sum   the errors of the N terms are independent, so their squares add;
//         and sqrt(N) sum|c| for the adding.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

extern "C" void oracle(const double* A, const double* B, double scale,
                       double low, double high, double* y, double* y_m,
                       int64_t M, int64_t N, int64_t K) {
  const double growth = std::sqrt(static_cast<double>(K));
  std::vector<double> z(N);
  std::vector<double> z_m(N);
  for (int64_t i = 0; i < M; ++i) {
    std::fill(z.begin(), z.end(), 0.0);
    std::fill(z_m.begin(), z_m.end(), 0.0);
    for (int64_t k = 0; k < K; ++k) {
      for (int64_t j = 0; j < N; ++j) {
        const double term = scale * A[i * K + k] * B[k * N + j];
        z[j] += term;
        z_m[j] += std::abs(term);
      }
    }
    double sum = 0.0;
    double terms = 0.0;
    double squares = 0.0;
    for (int64_t j = 0; j < N; ++j) {
      const double c = std::min(std::max(z[j], low), high);
      const double c_m = growth * z_m[j] + std::abs(z[j]);
      sum += c;
      terms += std::abs(c);
      squares += c_m * c_m;
    }
    y[i] = sum;
    y_m[i] = std::sqrt(static_cast<double>(N)) * terms + std::sqrt(squares);
  }
}
