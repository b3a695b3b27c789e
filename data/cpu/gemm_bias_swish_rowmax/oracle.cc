// y_i = max_j s_ij,  s = z sigmoid(z),  z = scale * x * w + b.
//
// Error model, in units of u:
//   z     |scale| sqrt(K) sum|x w| (Higham and Mary 2019, theorem 3.1), and
//         |scale x w| + |z| for scaling and adding;
//   s     |swish'(z)| times that; relative to s, 4 for exp (2 ulp), weighted by
//         its share 1 - sigmoid of the denominator, 1 for adding, 2 for the
//         quotient;
//   max   never enlarges an error, but may choose another element of the row:
//         the largest error of the row.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

extern "C" void oracle(const double* x, const double* w, const double* b,
                       double scale, double* y, double* y_m, int64_t M,
                       int64_t N) {
  constexpr int64_t K = 256;
  const double growth = std::sqrt(static_cast<double>(K));
  std::vector<double> product(N);
  std::vector<double> terms(N);
  for (int64_t i = 0; i < M; ++i) {
    std::fill(product.begin(), product.end(), 0.0);
    std::fill(terms.begin(), terms.end(), 0.0);
    for (int64_t k = 0; k < K; ++k) {
      for (int64_t j = 0; j < N; ++j) {
        const double term = scale * x[i * K + k] * w[k * N + j];
        product[j] += term;
        terms[j] += std::abs(term);
      }
    }
    y[i] = -INFINITY;
    y_m[i] = 0.0;
    for (int64_t j = 0; j < N; ++j) {
      const double z = product[j] + b[j];
      const double z_m = growth * terms[j] + std::abs(product[j]) + std::abs(z);
      const double sigmoid = 1.0 / (1.0 + std::exp(-z));
      const double s = z * sigmoid;
      const double slope = sigmoid + s * (1.0 - sigmoid);
      const double relative = 4.0 * (1.0 - sigmoid) + 3.0;
      y[i] = std::max(y[i], s);
      y_m[i] = std::max(y_m[i], std::abs(slope) * z_m + relative * std::abs(s));
    }
  }
}
