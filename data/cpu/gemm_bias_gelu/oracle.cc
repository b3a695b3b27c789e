// y = gelu(z),  z = scale * x * w + b.
//
// Error model, in units of u:
//   product  sqrt(K) sum|x w| (Higham and Mary 2019, theorem 3.1);
//   z        scale times that, |scale x w| and |z| for scaling and adding;
//   gelu     |gelu'(z)| times the error of z, and its own: see Gelu().
#include <cmath>
#include <cstdint>
#include <numbers>

namespace {

// Own error: tanh to 4 u |t|, its argument a to 4 u |a| (four roundings), then
// 1 + t, which cancels for negative z, and the products.
void Gelu(double z, double z_m, double* y, double* y_m) {
  const double c = std::sqrt(2.0 / std::numbers::pi);
  const double a = c * (z + 0.044715 * z * z * z);
  const double t = std::tanh(a);
  const double t_slope = 1.0 - t * t;
  const double slope =
      0.5 * (1.0 + t) + 0.5 * z * t_slope * c * (1.0 + 3.0 * 0.044715 * z * z);
  *y = 0.5 * z * (1.0 + t);
  const double of_tanh = 4.0 * std::abs(t) + 4.0 * t_slope * std::abs(a);
  *y_m = std::abs(slope) * z_m +
         0.5 * std::abs(z) * (of_tanh + (1.0 + t) + 1.0) + 2.0 * std::abs(*y);
}

}  // namespace

extern "C" void oracle(const double* x, const double* w, const double* b,
                       double scale, double* y, double* y_m, int64_t M) {
  constexpr int64_t N = 200;
  constexpr int64_t K = 256;
  const double growth = std::sqrt(static_cast<double>(K));
  for (int64_t i = 0; i < M; ++i) {
    double sum[N] = {};
    double terms[N] = {};
    for (int64_t k = 0; k < K; ++k) {
      for (int64_t j = 0; j < N; ++j) {
        const double term = x[i * K + k] * w[k * N + j];
        sum[j] += term;
        terms[j] += std::abs(term);
      }
    }
    for (int64_t j = 0; j < N; ++j) {
      const double scaled = scale * sum[j];
      const double z = scaled + b[j];
      const double z_m =
          std::abs(scale) * growth * terms[j] + std::abs(scaled) + std::abs(z);
      Gelu(z, z_m, &y[i * N + j], &y_m[i * N + j]);
    }
  }
}
