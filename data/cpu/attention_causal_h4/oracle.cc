// y = proj_scale * a * wo,  a = softmax(sm_scale * q * k^T) * v head by head
// and over no later positions,  and q, k, v are proj_scale * x times wq, wk,
// wv.
//
// Error model, in units of u.  A product of matrices of which both may carry
// errors a_m and b_m has, for n terms (Higham and Mary 2019, theorem 3.1; the
// errors carried are independent, so their squares add),
//   m = sqrt(n) sum|a b| + sqrt(sum (a_m b)^2 + (a b_m)^2) + n 2^-126,
// the last for terms that underflow.
// The softmax p_j = e_j / s of n values z has, relative to p_j: that of z_j and
// of |z_j - max| for the subtraction, 4 for exp, sqrt(n) and the weighted
// average of those for s, 2 for the division.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace {

constexpr double kUnderflow = 0x1p-126;

// A matrix [rows,columns] and the magnitudes of its errors.
struct Estimate {
  Estimate(int64_t rows, int64_t columns)
      : columns(columns), value(rows * columns), magnitude(rows * columns) {}
  int64_t columns;
  std::vector<double> value;
  std::vector<double> magnitude;
};

Estimate Exact(const double* values, int64_t rows, int64_t columns) {
  Estimate exact(rows, columns);
  std::copy_n(values, rows * columns, exact.value.begin());
  return exact;
}

// Columns [first, first + count) of `a`.
Estimate Columns(const Estimate& a, int64_t rows, int64_t first,
                 int64_t count) {
  Estimate part(rows, count);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < count; ++j) {
      part.value[i * count + j] = a.value[i * a.columns + first + j];
      part.magnitude[i * count + j] = a.magnitude[i * a.columns + first + j];
    }
  }
  return part;
}

Estimate Transpose(const Estimate& a, int64_t rows) {
  Estimate t(a.columns, rows);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < a.columns; ++j) {
      t.value[j * rows + i] = a.value[i * a.columns + j];
      t.magnitude[j * rows + i] = a.magnitude[i * a.columns + j];
    }
  }
  return t;
}

// scale * a[M,K] * b[K,N]; zeros of `a` are no terms, whatever stands in `b`.
Estimate Product(double scale, const Estimate& a, const Estimate& b,
                 int64_t M) {
  const int64_t K = a.columns;
  const int64_t N = b.columns;
  Estimate c(M, N);
  std::vector<double> carried(N);  // Sums of squares.
  for (int64_t i = 0; i < M; ++i) {
    double* value = &c.value[i * N];
    double* magnitude = &c.magnitude[i * N];
    std::fill(carried.begin(), carried.end(), 0.0);
    int64_t terms = 0;
    for (int64_t k = 0; k < K; ++k) {
      if (a.value[i * K + k] == 0.0) continue;
      ++terms;
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
    const double growth = std::sqrt(static_cast<double>(terms));
    for (int64_t j = 0; j < N; ++j) {
      magnitude[j] = growth * magnitude[j] + std::sqrt(carried[j]) +
                     static_cast<double>(terms) * kUnderflow;
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
                       const double* wv, const double* wo, double proj_scale,
                       double sm_scale, double* y, double* y_m, int64_t L) {
  constexpr int64_t D = 128;
  constexpr int64_t H = 4;
  constexpr int64_t E = 32;
  const Estimate input = Exact(x, L, D);
  const Estimate q = Product(proj_scale, input, Exact(wq, D, H * E), L);
  const Estimate k = Product(proj_scale, input, Exact(wk, D, H * E), L);
  const Estimate v = Product(proj_scale, input, Exact(wv, D, H * E), L);
  Estimate a(L, H * E);
  for (int64_t h = 0; h < H; ++h) {
    Estimate p = Product(sm_scale, Columns(q, L, h * E, E),
                         Transpose(Columns(k, L, h * E, E), L), L);
    for (int64_t i = 0; i < L; ++i) {
      Softmax(&p.value[i * L], &p.magnitude[i * L], i + 1);
      std::fill_n(p.value.begin() + i * L + i + 1, L - i - 1, 0.0);
    }
    const Estimate head = Product(1.0, p, Columns(v, L, h * E, E), L);
    for (int64_t i = 0; i < L; ++i) {
      for (int64_t e = 0; e < E; ++e) {
        a.value[i * H * E + h * E + e] = head.value[i * E + e];
        a.magnitude[i * H * E + h * E + e] = head.magnitude[i * E + e];
      }
    }
  }
  const Estimate result = Product(proj_scale, a, Exact(wo, H * E, D), L);
  std::copy(result.value.begin(), result.value.end(), y);
  std::copy(result.magnitude.begin(), result.magnitude.end(), y_m);
}
