// y = x + s2 h w2 + b2,  h = gelu(z),  z = s1 n w1 + b1,  n = rmsnorm(x) g.
//
// Error model, in units of u:
//   n       relative: half of sqrt(D) for the mean of squares, 5 for root,
//           reciprocal, epsilon and products;
//   z, y    a product of K terms whose left factor carries the error a_m has
//             sqrt(K) sum|a b| + sqrt(sum (a_m b)^2)
//           (Higham and Mary 2019, theorem 3.1; the errors carried are
//           independent, so their squares add), then a rounding for scaling and
//           for each addition;
//   gelu    |gelu'(z)| times the error of z, and its own: see Gelu().
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

namespace {

constexpr int64_t D = 128;
constexpr int64_t F = 512;

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

// c[N] = scale * a[K] * b[K,N], with errors.
void RowTimesMatrix(double scale, const std::vector<double>& a,
                    const std::vector<double>& a_m, const double* b,
                    std::vector<double>* c, std::vector<double>* c_m) {
  const int64_t K = static_cast<int64_t>(a.size());
  const int64_t N = static_cast<int64_t>(c->size());
  std::vector<double> carried(N);  // Sums of squares.
  c->assign(N, 0.0);
  c_m->assign(N, 0.0);
  double* value = c->data();
  double* magnitude = c_m->data();
  double* squares = carried.data();
  for (int64_t k = 0; k < K; ++k) {
    const double factor = scale * a[k];
    const double factor_m = scale * a_m[k];
    const double* row = b + k * N;
    for (int64_t j = 0; j < N; ++j) {
      const double term = factor * row[j];
      value[j] += term;
      magnitude[j] += std::abs(term);
      squares[j] += (factor_m * row[j]) * (factor_m * row[j]);
    }
  }
  const double growth = std::sqrt(static_cast<double>(K));
  for (int64_t j = 0; j < N; ++j) {
    magnitude[j] = growth * magnitude[j] + std::sqrt(squares[j]);
  }
}

}  // namespace

extern "C" void oracle(const double* x, const double* g, const double* w1,
                       const double* b1, const double* w2, const double* b2,
                       double s1, double s2, double* y, double* y_m,
                       int64_t L) {
  constexpr double kEpsilon = 1e-6;
  const double n_relative = 0.5 * std::sqrt(static_cast<double>(D)) + 5.0;
  std::vector<double> n(D), n_m(D), z(F), z_m(F), h(F), h_m(F), o(D), o_m(D);
  for (int64_t i = 0; i < L; ++i) {
    const double* row = x + i * D;
    double squares = 0.0;
    for (int64_t d = 0; d < D; ++d) squares += row[d] * row[d];
    const double scale = 1.0 / std::sqrt(squares / D + kEpsilon);
    for (int64_t d = 0; d < D; ++d) {
      n[d] = row[d] * scale * g[d];
      n_m[d] = n_relative * std::abs(n[d]);
    }
    RowTimesMatrix(s1, n, n_m, w1, &z, &z_m);
    for (int64_t f = 0; f < F; ++f) {
      const double biased = z[f] + b1[f];
      Gelu(biased, z_m[f] + std::abs(z[f]) + std::abs(biased), &h[f], &h_m[f]);
    }
    RowTimesMatrix(s2, h, h_m, w2, &o, &o_m);
    for (int64_t d = 0; d < D; ++d) {
      const double moved = row[d] + o[d];
      y[i * D + d] = moved + b2[d];
      y_m[i * D + d] = o_m[d] + std::abs(o[d]) + std::abs(row[d]) +
                       std::abs(b2[d]) + std::abs(y[i * D + d]);
    }
  }
}
