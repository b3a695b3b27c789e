// y = p * v,  p = softmax(sm_scale * q * k^T),  and q, k, v are proj_scale * x
// times wq, wk, wv.
//
// Error model, in units of u.  A product of matrices of which both may carry
// errors a_m and b_m has, for n terms (Higham and Mary 2019, theorem 3.1; the
// errors carried are independent, so their squares add),
//   m = sqrt(n) sum|a b| + sqrt(sum (a_m b)^2 + (a b_m)^2) + n 2^-126,
// the last for terms that underflow.
// The softmax p_j = e_j / s of z has, relative to p_j: that of z_j and of
// |z_j - max| for the subtraction, 4 for exp, sqrt(L) and the weighted average
// of those for s, 2 for the division.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace {

constexpr double kUnderflow = 0x1p-126;

// Values and the magnitudes of their errors.
struct Estimate {
  explicit Estimate(int64_t size) : value(size), magnitude(size) {}
  std::vector<double> value;
  std::vector<double> magnitude;
};

Estimate Exact(const double* values, int64_t size) {
  Estimate exact(size);
  std::copy_n(values, size, exact.value.begin());
  return exact;
}

Estimate Transpose(const Estimate& a, int64_t rows, int64_t columns) {
  Estimate t(rows * columns);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      t.value[j * rows + i] = a.value[i * columns + j];
      t.magnitude[j * rows + i] = a.magnitude[i * columns + j];
    }
  }
  return t;
}

// scale * a[M,K] * b[K,N]
Estimate Product(double scale, const Estimate& a, const Estimate& b, int64_t M,
                 int64_t K, int64_t N) {
  Estimate c(M * N);
  const double growth = std::sqrt(static_cast<double>(K));
  std::vector<double> carried(N);  // Sums of squares.
  for (int64_t i = 0; i < M; ++i) {
    double* value = &c.value[i * N];
    double* magnitude = &c.magnitude[i * N];
    std::fill(carried.begin(), carried.end(), 0.0);
    for (int64_t k = 0; k < K; ++k) {
      const double factor = scale * a.value[i * K + k];
      const double factor_m = scale * a.magnitude[i * K + k];
      const double* row = &b.value[k * N];
      const double* row_m = &b.magnitude[k * N];
      for (int64_t j = 0; j < N; ++j) {
        const double term = factor * row[j];
        value[j] += term;
        magnitude[j] += std::abs(term);
        carried[j] += (factor_m * row[j]) * (factor_m * row[j]) +
                      (factor * row_m[j]) * (factor * row_m[j]);
      }
    }
    for (int64_t j = 0; j < N; ++j) {
      magnitude[j] = growth * magnitude[j] + std::sqrt(carried[j]) +
                     static_cast<double>(K) * kUnderflow;
    }
  }
  return c;
}

// Of one row, in place.
void Softmax(double* z, double* m, int64_t size) {
  const double largest = *std::max_element(z, z + size);
  double sum = 0.0;
  double weighted = 0.0;
  for (int64_t j = 0; j < size; ++j) {
    m[j] += (largest - z[j]) + 4.0;
    z[j] = std::exp(z[j] - largest);
    sum += z[j];
    weighted += z[j] * m[j];
  }
  const double of_sum =
      std::sqrt(static_cast<double>(size)) + weighted / sum + 2.0;
  for (int64_t j = 0; j < size; ++j) {
    z[j] /= sum;
    m[j] = z[j] * (m[j] + of_sum);
  }
}

}  // namespace

extern "C" void oracle(const double* x, const double* wq, const double* wk,
                       const double* wv, double proj_scale, double sm_scale,
                       double* y, double* y_m, int64_t L) {
  constexpr int64_t D = 128;
  constexpr int64_t E = 64;
  const Estimate input = Exact(x, L * D);
  const Estimate q = Product(proj_scale, input, Exact(wq, D * E), L, D, E);
  const Estimate k = Product(proj_scale, input, Exact(wk, D * E), L, D, E);
  const Estimate v = Product(proj_scale, input, Exact(wv, D * E), L, D, E);
  Estimate p = Product(sm_scale, q, Transpose(k, L, E), L, E, L);
  for (int64_t i = 0; i < L; ++i) {
    Softmax(&p.value[i * L], &p.magnitude[i * L], L);
  }
  const Estimate result = Product(1.0, p, v, L, L, E);
  std::copy(result.value.begin(), result.value.end(), y);
  std::copy(result.magnitude.begin(), result.magnitude.end(), y_m);
}
