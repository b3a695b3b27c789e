// Solves T x = d, T with 3 on the diagonal and -1 beside it, for each row.
//
// Error model.  Elimination without pivoting is stable for T, which is
// diagonally dominant and an M-matrix (Higham 2002, Accuracy and Stability of
// Numerical Algorithms, theorem 9.12 and section 9.6): the solution is that of
// a matrix off by a few units in each element, so x errs by
//   m = T^-1 (|T| X + |d|),  X = T^-1 |d| >= |x|.
#include <cmath>
#include <cstdint>
#include <vector>

namespace {

std::vector<double> Solve(const std::vector<double>& d) {
  const int64_t N = static_cast<int64_t>(d.size());
  std::vector<double> upper(N);
  std::vector<double> x(N);
  for (int64_t i = 0; i < N; ++i) {
    const double pivot = i == 0 ? 3.0 : 3.0 + upper[i - 1];
    upper[i] = -1.0 / pivot;
    x[i] = (d[i] + (i == 0 ? 0.0 : x[i - 1])) / pivot;
  }
  for (int64_t i = N - 2; i >= 0; --i) x[i] -= upper[i] * x[i + 1];
  return x;
}

}  // namespace

extern "C" void oracle(const double* d, double* x, double* x_m, int64_t B,
                       int64_t N) {
  for (int64_t b = 0; b < B; ++b) {
    const std::vector<double> right(d + b * N, d + (b + 1) * N);
    std::vector<double> size(N);
    for (int64_t i = 0; i < N; ++i) size[i] = std::abs(right[i]);
    const std::vector<double> bound = Solve(size);
    for (int64_t i = 0; i < N; ++i) {
      size[i] += 3.0 * bound[i] + (i > 0 ? bound[i - 1] : 0.0) +
                 (i + 1 < N ? bound[i + 1] : 0.0);
    }
    const std::vector<double> error = Solve(size);
    const std::vector<double> solution = Solve(right);
    for (int64_t i = 0; i < N; ++i) {
      x[b * N + i] = solution[i];
      x_m[b * N + i] = error[i];
    }
  }
}
