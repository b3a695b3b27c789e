#include "agents/catalogue/textbook_kernels.h"

#include <string_view>
#include <utility>

#include "agents/catalogue/rewriting.h"

namespace coppice::agents::catalogue {
namespace {

using Body = std::pair<const char*, const char*>;  // Name and statements.

// Linear algebra, after PolyBench.
constexpr Body kAlgebra[] = {
    {"product", R"(
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      float sum = 0.0f;
      for (int64_t k = 0; k < K; ++k) {
        sum += a[i * K + k] * b[k * N + j];
      }
      c[i * N + j] = sum;
    }
  }
)"},
    {"gemm", R"(
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      c[i * N + j] *= 0.5f;
    }
    for (int64_t k = 0; k < K; ++k) {
      for (int64_t j = 0; j < N; ++j) {
        c[i * N + j] += 1.5f * a[i * K + k] * b[k * N + j];
      }
    }
  }
)"},
    {"gemm of transposed", R"(
  for (int64_t j = 0; j < N; ++j) {
    for (int64_t i = 0; i < M; ++i) {
      for (int64_t k = 0; k < K; ++k) {
        c[i * N + j] = c[i * N + j] - a[i * K + k] * b[j * K + k];
      }
    }
  }
)"},
    {"matrix times vector, twice", R"(
  std::vector<float> y(K);
  for (int64_t k = 0; k < K; ++k) {
    y[k] = 0.0f;
  }
  for (int64_t i = 0; i < M; ++i) {
    float t = 0.0f;
    for (int64_t k = 0; k < K; ++k) {
      t += a[i * K + k] * b[k];
    }
    for (int64_t k = 0; k < K; ++k) {
      y[k] = y[k] + a[i * K + k] * t;
    }
    c[i * N] = t;
  }
  float all = 0.0f;
  for (int64_t k = 0; k < K; ++k) {
    all += y[k];
  }
  c[0] = all;
)"},
    {"triangular product", R"(
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      float s = 0.0f;
      for (int64_t k = 0; k <= i && k < K; ++k) {
        s += a[i * K + k];
      }
      for (int64_t k = i + 1; k < M; ++k) {
        s += a[k * K] * c[k * N + j];
      }
      c[i * N + j] += s;
    }
  }
)"},
    {"forward and back substitution", R"(
  std::vector<float> x(M);
  for (int64_t j = 0; j < N; ++j) {
    for (int64_t i = 0; i < M; ++i) {
      float s = b[j * K];
      for (int64_t p = 0; p < i; ++p) {
        s -= a[(i + p) % M * K] * x[p];
      }
      x[i] = s / 2.5f;
    }
    for (int64_t i = M - 1; i >= 0; --i) {
      float s = x[i];
      for (int64_t p = i + 1; p < M; ++p) {
        s -= 0.25f * c[p * N + j];
      }
      c[i * N + j] = s / 1.5f;
    }
  }
)"},
    {"cholesky", R"(
  std::vector<float> l(M * M);
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < M; ++j) {
      l[i * M + j] = i == j ? 4.0f + M : 0.5f * a[i * K] * a[j * K];
    }
  }
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < i; ++j) {
      for (int64_t k = 0; k < j; ++k) {
        l[i * M + j] -= l[i * M + k] * l[j * M + k];
      }
      l[i * M + j] /= l[j * M + j];
    }
    for (int64_t k = 0; k < i; ++k) {
      l[i * M + i] -= l[i * M + k] * l[i * M + k];
    }
    l[i * M + i] = std::sqrt(l[i * M + i]);
  }
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      c[i * N + j] = l[i * M + j % M];
    }
  }
)"},
    {"LU", R"(
  std::vector<float> u(M * M);
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < M; ++j) {
      u[i * M + j] = i == j ? 3.0f + M : a[i * K] - a[j * K];
    }
  }
  for (int64_t k = 0; k < M; ++k) {
    for (int64_t i = k + 1; i < M; ++i) {
      u[i * M + k] /= u[k * M + k];
      for (int64_t j = k + 1; j < M; ++j) {
        u[i * M + j] -= u[i * M + k] * u[k * M + j];
      }
    }
  }
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      c[i * N + j] = u[i * M + j % M];
    }
  }
)"},
    {"covariance", R"(
  std::vector<float> mean(K);
  for (int64_t k = 0; k < K; ++k) {
    float s = 0.0f;
    for (int64_t i = 0; i < M; ++i) {
      s += a[i * K + k];
    }
    mean[k] = s / static_cast<float>(M);
  }
  std::vector<float> cov(K * K);
  for (int64_t p = 0; p < K; ++p) {
    for (int64_t q = p; q < K; ++q) {
      float s = 0.0f;
      for (int64_t i = 0; i < M; ++i) {
        s += (a[i * K + p] - mean[p]) * (a[i * K + q] - mean[q]);
      }
      cov[p * K + q] = s;
      cov[q * K + p] = s;
    }
  }
  for (int64_t i = 0; i < M * N; ++i) {
    c[i] = cov[i % (K * K)];
  }
)"},
    {"rank-1 update by row pointers", R"(
  for (int64_t i = 0; i < M; ++i) {
    const float* left = a + i * K;
    float* out = c + i * N;
    for (int64_t j = 0; j < N; ++j) {
      out[j] += left[0] * b[j * K];
    }
  }
)"},
    {"rows that lean on the row above", R"(
  for (int64_t i = 1; i < M; ++i) {
    const float* above = c + (i - 1) * N;
    float* out = c + i * N;
    for (int64_t j = 0; j < N; ++j) {
      out[j] = 0.5f * above[j] + a[i * K];
    }
  }
)"},
    {"rows that share an accumulator", R"(
  for (int64_t i = 0; i < M; ++i) {
    float* sums = c + i % 2 * N / 2;
    for (int64_t j = 0; j < N / 2; ++j) {
      sums[j] += a[i * K] * b[j * K];
    }
  }
)"},
};

// Stencils and images.
constexpr Body kStencils[] = {
    {"jacobi", R"(
  std::vector<float> next(M * N);
  for (int64_t i = 0; i < M * N; ++i) {
    c[i] = b[i % (N * K)];
    next[i] = b[i % (N * K)];
  }
  for (int64_t t = 0; t < 3; ++t) {
    for (int64_t i = 1; i < M - 1; ++i) {
      for (int64_t j = 1; j < N - 1; ++j) {
        next[i * N + j] = 0.25f * (c[(i - 1) * N + j] + c[(i + 1) * N + j] +
                                   c[i * N + j - 1] + c[i * N + j + 1]);
      }
    }
    for (int64_t i = 1; i < M - 1; ++i) {
      for (int64_t j = 1; j < N - 1; ++j) {
        c[i * N + j] = next[i * N + j];
      }
    }
  }
)"},
    {"seidel", R"(
  for (int64_t t = 0; t < 2; ++t) {
    for (int64_t i = 1; i < M - 1; ++i) {
      for (int64_t j = 1; j < N - 1; ++j) {
        c[i * N + j] = (c[(i - 1) * N + j - 1] + c[(i - 1) * N + j] +
                        c[i * N + j - 1] + c[i * N + j] + c[i * N + j + 1] +
                        c[(i + 1) * N + j + 1]) / 6.0f;
      }
    }
  }
)"},
    {"blur with clamped borders", R"(
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      float s = 0.0f;
      for (int64_t p = -1; p <= 1; ++p) {
        for (int64_t q = -2; q <= 2; ++q) {
          int64_t row = std::min(std::max<int64_t>(i + p, 0), M - 1);
          int64_t column = j + q < 0 ? 0 : j + q >= K ? K - 1 : j + q;
          s += a[row * K + column] * (q == 0 ? 2.0f : 1.0f);
        }
      }
      c[i * N + j] = s / 18.0f;
    }
  }
)"},
    {"convolution with zeros around", R"(
  for (int64_t m = 0; m < 1; ++m) {
    for (int64_t i = 0; i < M; ++i) {
      for (int64_t j = 0; j < N; ++j) {
        float s = 0.0f;
        for (int64_t p = 0; p < 3; ++p) {
          for (int64_t q = 0; q < 3; ++q) {
            int64_t row = i + p - 1;
            int64_t column = j + q - 1;
            if (row >= 0 && row < M && column >= 0 && column < K) {
              s += a[(m * M + row) * K + column] * b[(p * 3 + q) % (N * K)];
            }
          }
        }
        c[i * N + j] = s;
      }
    }
  }
)"},
    {"distances to what is inside", R"(
  for (int64_t m = 0; m < 1; ++m) {
    for (int64_t i = 0; i < M; ++i) {
      for (int64_t j = 0; j < N; ++j) {
        float s = 0.0f;
        for (int64_t p = 0; p < 3; ++p) {
          for (int64_t q = 0; q < 3; ++q) {
            int64_t row = i + p - 1;
            int64_t column = j + q - 1;
            if (row >= 0 && row < M && column >= 0 && column < K) {
              s += (a[(m * M + row) * K + column] - 0.5f) *
                   (a[(m * M + row) * K + column] - 0.5f);
            }
          }
        }
        c[i * N + j] = s;
      }
    }
  }
)"},
    {"largest weighted neighbour", R"(
  for (int64_t m = 0; m < 1; ++m) {
    for (int64_t i = 0; i < M; ++i) {
      for (int64_t j = 0; j < N; ++j) {
        float s = -9.0f;
        for (int64_t p = 0; p < 3; ++p) {
          for (int64_t q = 0; q < 3; ++q) {
            int64_t row = i + p - 1;
            int64_t column = j + q - 1;
            if (row >= 0 && row < M && column >= 0 && column < K) {
              s = std::max(s, a[(m * M + row) * K + column] * -0.5f);
            }
          }
        }
        c[i * N + j] = s;
      }
    }
  }
)"},
    {"game of life", R"(
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < K; ++j) {
      int64_t alive = 0;
      for (int64_t p = -1; p <= 1; ++p) {
        for (int64_t q = -1; q <= 1; ++q) {
          if (p != 0 || q != 0) {
            alive += a[(i + p + M) % M * K + (j + q + K) % K] > 0.2f ? 1 : 0;
          }
        }
      }
      float now = a[i * K + j] > 0.2f ? 1.0f : 0.0f;
      if (alive == 3 || (alive == 2 && now > 0.0f)) {
        c[(i * K + j) % (M * N)] = 1.0f;
      }
    }
  }
)"},
    {"pooling by steps of two", R"(
  for (int64_t i = 0; i + 1 < M; i += 2) {
    for (int64_t j = 0; j + 1 < K; j += 2) {
      float most = a[i * K + j];
      for (int64_t p = 0; p < 2; ++p) {
        for (int64_t q = 0; q < 2; ++q) {
          if (a[(i + p) * K + j + q] > most) {
            most = a[(i + p) * K + j + q];
          }
        }
      }
      c[i * N + j % N] = most;
    }
  }
)"},
    {"every third element", R"(
  for (int64_t j = 1; j < M * N; j += 3) {
    c[j] = 2.0f * b[j % (N * K)];
  }
  float s = 0.0f;
  for (int64_t k = 2; k < M * K; k += 3) {
    s += a[k];
  }
  c[0] = s;
)"},
    {"moving average", R"(
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      float s = 0.0f;
      int64_t n = 0;
      for (int64_t k = -2; k <= 2; ++k) {
        if (j + k >= 0 && j + k < N * K) {
          s += b[j + k];
          n += 1;
        }
      }
      c[i * N + j] = s / n;
    }
  }
)"},
    {"median of five", R"(
  for (int64_t i = 0; i < M * N; ++i) {
    float w[5];
    for (int64_t q = 0; q < 5; ++q) {
      int64_t at = i + q - 2;
      at = at < 0 ? 0 : at;
      at = at > N * K - 1 ? N * K - 1 : at;
      w[q] = b[at];
    }
    for (int64_t u = 0; u < 4; ++u) {
      for (int64_t v = 0; v < 4 - u; ++v) {
        if (w[v] > w[v + 1]) {
          float t = w[v];
          w[v] = w[v + 1];
          w[v + 1] = t;
        }
      }
    }
    c[i] = w[2];
  }
)"},
    {"blocks that look into the next", R"(
  for (int64_t i = 0; i * 4 + 8 <= M * N; ++i) {
    for (int64_t p = 0; p < 4; ++p) {
      c[4 * i + p] = 0.5f * c[4 * i + p];
    }
    for (int64_t q = 4; q < 6; ++q) {
      c[4 * i] += c[4 * i + q];
    }
  }
)"},
    {"windows that overlap backwards", R"(
  for (int64_t i = 2; i * 4 < M * N; ++i) {
    for (int64_t q = 0; q < 7; ++q) {
      c[4 * i - q] = 0.5f * c[4 * i - q] + b[q % N];
    }
  }
)"},
    {"long and short passes", R"(
  for (int64_t i = 0; i * 4 + 8 < M * N; ++i) {
    for (int64_t p = 0; p < 8; ++p) {
      c[4 * i + p] = 0.5f * c[4 * i + p] + b[0];
    }
    for (int64_t p = 0; p < 2; ++p) {
      c[4 * i + p] += a[0];
    }
  }
)"},
};

// Sums, searches, sorts and tables.
constexpr Body kSequences[] = {
    {"prefix sums", R"(
  for (int64_t i = 0; i < M; ++i) {
    float sum = 0.0f;
    for (int64_t j = 0; j < N; ++j) {
      sum += b[j * K] * a[i * K];
      c[i * N + j] = sum;
    }
  }
)"},
    {"exclusive prefix sums", R"(
  float sum = 0.0f;
  for (int64_t j = 0; j < M * N; ++j) {
    c[j] = sum;
    sum += b[j % (N * K)];
  }
)"},
    {"running maxima in place", R"(
  for (int64_t j = 1; j < M * N; ++j) {
    c[j] = std::max(c[j], c[j - 1]);
  }
)"},
    {"horner", R"(
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      float p = a[i * K];
      for (int64_t k = 1; k < K; ++k) {
        p = p * b[j * K] + a[i * K + k];
      }
      c[i * N + j] = p;
    }
  }
)"},
    {"histogram", R"(
  for (int64_t i = 0; i < M * N; ++i) {
    c[i] = 0.0f;
  }
  for (int64_t i = 0; i < M * K; ++i) {
    c[static_cast<int64_t>(a[i] * 50.0f + 60.0f) % 8] += 1.0f;
  }
)"},
    {"histograms of rows", R"(
  for (int64_t i = 0; i < M; ++i) {
    int64_t bins[8];
    for (int64_t q = 0; q < 8; ++q) {
      bins[q] = 0;
    }
    for (int64_t k = 0; k < K; ++k) {
      bins[static_cast<int64_t>(a[i * K + k] * 3.9f + 4.0f)] += 1;
    }
    for (int64_t j = 0; j < N; ++j) {
      c[i * N + j] = bins[j % 8];
    }
  }
)"},
    {"sparse rows", R"(
  std::vector<int64_t> first(M + 1);
  for (int64_t i = 0; i <= M; ++i) {
    first[i] = i * K - (i > 0 && i < M ? i % 2 : 0);
  }
  for (int64_t i = 0; i < M; ++i) {
    float s = 0.0f;
    for (int64_t p = first[i]; p < first[i + 1]; ++p) {
      s += a[p] * b[p % (N * K)];
    }
    c[i * N] = s;
  }
)"},
    {"positive elements packed", R"(
  for (int64_t i = 0; i < M; ++i) {
    float kept[64];
    int64_t n = 0;
    for (int64_t j = 0; j < N && j < 64; ++j) {
      if (a[i * K] + b[j * K] > 0.0f) {
        kept[n++] = b[j * K];
      }
    }
    for (int64_t j = 0; j < N; ++j) {
      c[i * N + j] = j < n ? kept[j] : -1.0f;
    }
  }
)"},
    {"positive elements of columns packed", R"(
  for (int64_t j = 0; j < N; ++j) {
    float kept[4];
    int64_t n = 0;
    for (int64_t k = 0; k < 4; ++k) {
      if (b[(j + k) % (N * K)] > 0.0f) {
        kept[n++] = b[(j + k) % (N * K)];
      }
    }
    c[j] = n;
    for (int64_t i = 1; i < M; ++i) {
      c[i * N + j] = n > 0 ? kept[i % n] : 0.0f;
    }
  }
)"},
    {"first that is large", R"(
  for (int64_t i = 0; i < M; ++i) {
    float s = 0.0f;
    for (int64_t j = 0; j < N; ++j) {
      if (b[j * K] * a[i * K] > 0.3f) {
        break;
      }
      s += b[j * K];
    }
    c[i * N] = s;
  }
)"},
    {"negative ones skipped", R"(
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      if (b[j * K] < 0.0f) {
        continue;
      }
      c[i * N + j] = b[j * K];
    }
  }
)"},
    {"one of four tried in turn", R"(
  for (int64_t i = 0; i < M * N; ++i) {
    c[i] = 0.0f;
    for (int64_t q = 0; q < 4; ++q) {
      if (b[(i + q) % (N * K)] > 0.0f) {
        c[i] = q + 1;
        break;
      }
    }
  }
)"},
    {"largest of each row", R"(
  for (int64_t i = 0; i < M; ++i) {
    int64_t best = 0;
    for (int64_t k = 1; k < K; ++k) {
      if (a[i * K + k] > a[i * K + best]) {
        best = k;
      }
    }
    c[i * N] = best;
  }
)"},
    {"sums of several types", R"(
  for (int64_t i = 0; i < M; ++i) {
    float s = 0.0f;
    for (int64_t k = 0; k < K; ++k) {
      s += a[i * K + k];
    }
    c[i * N] = s;
  }
  double mean = 0.0;
  for (int64_t k = 0; k < M * K; ++k) {
    mean += a[k];
  }
  for (int64_t j = 1; j < N; ++j) {
    int64_t s = 0;
    for (int64_t k = 0; k < K; ++k) {
      s += b[j * K + k] > 0.0f ? 1 : 0;
    }
    c[j] = s + mean;
  }
)"},
    {"least and most of whole numbers", R"(
  for (int64_t i = 0; i < M; ++i) {
    long low = 1000;
    unsigned high = 0;
    for (int64_t k = 0; k < K; ++k) {
      low = std::min(low, static_cast<long>(a[i * K + k] * 100.0f));
      high = std::max(high, static_cast<unsigned>(a[i * K + k] * 9.0f + 9.0f));
    }
    c[i * N] = low + 0.001f * high;
  }
)"},
    {"knapsack", R"(
  std::vector<float> best(N + 1);
  for (int64_t w = 0; w <= N; ++w) {
    best[w] = 0.0f;
  }
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t w = N; w >= i % 3 + 1; --w) {
      best[w] = std::max(best[w], best[w - i % 3 - 1] + a[i * K]);
    }
    for (int64_t j = 0; j < N; ++j) {
      c[i * N + j] = best[j + 1];
    }
  }
)"},
    {"smith and waterman", R"(
  std::vector<float> h((M + 1) * (N + 1));
  for (int64_t i = 0; i <= M; ++i) {
    h[i * (N + 1)] = 0.0f;
  }
  for (int64_t j = 0; j <= N; ++j) {
    h[j] = 0.0f;
  }
  for (int64_t i = 1; i <= M; ++i) {
    for (int64_t j = 1; j <= N; ++j) {
      float match = a[(i - 1) * K] * b[(j - 1) * K] > 0.0f ? 2.0f : -1.0f;
      float best = std::max(0.0f, h[(i - 1) * (N + 1) + j - 1] + match);
      best = std::max(best, h[(i - 1) * (N + 1) + j] - 1.0f);
      best = std::max(best, h[i * (N + 1) + j - 1] - 1.0f);
      h[i * (N + 1) + j] = best;
    }
  }
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      c[i * N + j] = h[(i + 1) * (N + 1) + j + 1];
    }
  }
)"},
    {"paths by two rows", R"(
  std::vector<float> above(N + 1);
  std::vector<float> row(N + 1);
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j <= N; ++j) {
      above[j] = 0.0f;
    }
    for (int64_t k = 0; k < K; ++k) {
      row[0] = a[i * K + k];
      for (int64_t j = 1; j <= N; ++j) {
        row[j] = std::min(above[j], row[j - 1]) + b[j - 1] * a[i * K + k];
      }
      std::swap(above, row);
    }
    for (int64_t j = 0; j < N; ++j) {
      c[i * N + j] = above[j + 1];
    }
  }
)"},
    {"floyd and warshall", R"(
  std::vector<float> d(M * M);
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < M; ++j) {
      d[i * M + j] = i == j ? 0.0f : 1.5f + a[i * K] + b[0] * a[j * K];
    }
  }
  for (int64_t k = 0; k < M; ++k) {
    for (int64_t i = 0; i < M; ++i) {
      for (int64_t j = 0; j < M; ++j) {
        d[i * M + j] = std::min(d[i * M + j], d[i * M + k] + d[k * M + j]);
      }
    }
  }
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      c[i * N + j] = d[i * M + j % M];
    }
  }
)"},
    {"thomas", R"(
  std::vector<float> w(N);
  std::vector<float> g(N);
  for (int64_t i = 0; i < M; ++i) {
    w[0] = 0.25f;
    g[0] = a[i * K] / 4.0f;
    for (int64_t j = 1; j < N; ++j) {
      float m = 1.0f / (4.0f - w[j - 1]);
      w[j] = m;
      g[j] = (b[j * K] - g[j - 1]) * m;
    }
    c[i * N + N - 1] = g[N - 1];
    for (int64_t j = N - 2; j >= 0; --j) {
      c[i * N + j] = g[j] - w[j] * c[i * N + j + 1];
    }
  }
)"},
    {"filter by recursion", R"(
  for (int64_t i = 0; i < M; ++i) {
    float s = 0.0f;
    for (int64_t j = 0; j < N; ++j) {
      s = 0.5f * s + b[j * K] * a[i * K];
      c[i * N + j] = s;
    }
  }
)"},
    {"odd and even exchanges", R"(
  for (int64_t t = 0; t < N; ++t) {
    for (int64_t j = t % 2; j + 1 < M * N; j += 2) {
      if (c[j] > c[j + 1]) {
        float x = c[j];
        c[j] = c[j + 1];
        c[j + 1] = x;
      }
    }
  }
)"},
};

// Element-wise work, folds of rows, and functions.
constexpr Body kFunctions[] = {
    {"softmax", R"(
  for (int64_t i = 0; i < M; ++i) {
    float most = a[i * K];
    for (int64_t k = 1; k < K; ++k) {
      most = std::max(most, a[i * K + k]);
    }
    float sum = 0.0f;
    for (int64_t k = 0; k < K; ++k) {
      sum += std::exp(a[i * K + k] - most);
    }
    for (int64_t j = 0; j < N; ++j) {
      c[i * N + j] = std::exp(a[i * K + j % K] - most) / sum;
    }
  }
)"},
    {"layer norm", R"(
  for (int64_t i = 0; i < M; ++i) {
    float mean = 0.0f;
    for (int64_t j = 0; j < N; ++j) {
      mean += c[i * N + j];
    }
    mean /= N;
    float var = 0.0f;
    for (int64_t j = 0; j < N; ++j) {
      float d = c[i * N + j] - mean;
      var += d * d;
    }
    float inv = 1.0f / std::sqrt(var / N + 1e-3f);
    for (int64_t j = 0; j < N; ++j) {
      c[i * N + j] = (c[i * N + j] - mean) * inv * b[j * K];
    }
  }
)"},
    {"mandelbrot", R"(
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      float x = 0.0f;
      float y = 0.0f;
      int64_t n = 0;
      while (n < 20 && x * x + y * y < 4.0f) {
        float t = x * x - y * y + a[i * K];
        y = 2.0f * x * y + b[j * K];
        x = t;
        n += 1;
      }
      c[i * N + j] = n;
    }
  }
)"},
    {"mandelbrot with a fixed count", R"(
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      float x = 0.0f;
      float y = 0.0f;
      int64_t n = 0;
      for (int64_t k = 0; k < 12; ++k) {
        float t = x * x - y * y + a[i * K];
        float u = 2.0f * x * y + b[j * K];
        if (x * x + y * y < 4.0f) {
          x = t;
          y = u;
          ++n;
        }
      }
      c[i * N + j] = n;
    }
  }
)"},
    {"polynomials and branches", R"(
  for (int64_t i = 0; i < M * N; ++i) {
    float x = b[i % (N * K)];
    if (x > 0.5f) {
      c[i] = std::pow(x, 3.0f) + std::tanh(x);
    } else if (x > 0.0f) {
      c[i] = std::sqrt(x);
    } else {
      c[i] -= x;
    }
  }
)"},
    {"whole numbers divided", R"(
  for (int64_t j = 0; j < N; ++j) {
    int64_t d = static_cast<int64_t>(b[j * K] * 3.0f) + 4;
    for (int64_t i = 0; i < M; ++i) {
      c[i * N + j] = 100 / d + (i + 7) % d;
    }
  }
)"},
    {"whole numbers divided by loads", R"(
  std::vector<int64_t> d(N);
  for (int64_t j = 0; j < N; ++j) {
    d[j] = static_cast<int64_t>(b[j * K] * 3.0f) + 4;
  }
  for (int64_t j = 0; j < N; ++j) {
    int64_t q = 100 / d[j] + 33 % d[j];
    c[j] = q;
  }
)"},
    {"nearest neighbours", R"(
  for (int64_t i = 0; i < M; ++i) {
    float low = 1e30f;
    int64_t nearest = -1;
    for (int64_t j = 0; j < N; ++j) {
      float d = 0.0f;
      for (int64_t k = 0; k < K; ++k) {
        float e = a[i * K + k] - b[j * K + k];
        d += e * e;
      }
      if (d < low) {
        low = d;
        nearest = j;
      }
    }
    c[i * N] = low;
    c[i * N + N - 1] = nearest;
  }
)"},
    {"gravity", R"(
  for (int64_t i = 0; i < M; ++i) {
    float f = 0.0f;
    for (int64_t j = 0; j < M; ++j) {
      if (j != i) {
        float r = a[j * K] - a[i * K];
        f += r / (r * r + 0.1f);
      }
    }
    c[i * N] = f;
  }
)"},
    {"cosine transform", R"(
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      float s = 0.0f;
      for (int64_t k = 0; k < K; ++k) {
        float w = std::cos(3.14159265f * (k + 0.5f) * j / static_cast<float>(N));
        s += a[i * K + k] * w;
      }
      c[i * N + j] = s;
    }
  }
)"},
    {"transposed and scaled", R"(
  const float scale = b[0];
  for (int64_t j = 0; j < N; ++j) {
    for (int64_t i = 0; i < M; ++i) {
      c[i * N + j] = b[j * K] * scale / a[i * K];
    }
  }
)"},
    {"borders guarded by the row", R"(
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      float s = 0.0f;
      if (i > 0) {
        s += a[(i - 1) * K];
      }
      if (i + 1 < M) {
        s += a[(i + 1) * K] * b[j * K];
      }
      c[i * N + j] = s;
    }
  }
)"},
    {"sums into the row before", R"(
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      if (i > 0) {
        c[i * N - 1] += b[j * K];
      }
    }
  }
)"},
    {"slots by a rounded place", R"(
  for (int64_t i = 0; i < M * N; ++i) {
    int64_t slot = static_cast<int64_t>(i * 0.5f);
    c[slot] = 0.5f * c[slot] + b[i % (N * K)];
  }
)"},
    {"slots by a narrow place", R"(
  for (int64_t i = 0; i < 3 * M; ++i) {
    c[static_cast<uint8_t>(i * 128) / 128 % (M * N)] += 1.0f;
  }
)"},
    {"sums by steps that the body takes", R"(
  float s = 0.0f;
  for (int64_t k = 0; k < M * K; ++k) {
    s += 1.0f;
    k += 1;
  }
  c[0] = s;
)"},
    {"an end that the body moves", R"(
  float s = 0.0f;
  int64_t n = M * N;
  for (int64_t k = 0; k < n; ++k) {
    s += 1.0f;
    n -= 1;
  }
  c[0] = s;
)"},
    {"ends that the body stores", R"(
  std::vector<int64_t> left(2);
  left[0] = M * N;
  for (int64_t k = 0; k < left[0]; ++k) {
    c[k] = 1.0f;
    left[0] -= 1;
  }
)"},
    {"a name within a name", R"(
  float sum = 0.0f;
  for (int64_t i = 0; i < M; ++i) {
    sum += a[i * K];
    for (int64_t j = 0; j < N; ++j) {
      float sum = a[i * K] * b[j * K];
      sum += 1.0f;
      c[i * N + j] = sum;
    }
  }
  c[0] = sum;
)"},
    {"a kept local", R"(
  for (int64_t i = 0; i < M; ++i) {
    static float kept[4];
    kept[0] = i == 0 ? 0.0f : 0.5f * kept[0] + a[i * K];
    c[i * N] = kept[0];
  }
)"},
    {"sums by reference", R"(
  for (int64_t i = 0; i < M * K; ++i) {
    float& into = c[i % 3 % (M * N)];
    into += a[i];
  }
)"},
    {"rows doubled by a helper", R"(
  for (int64_t i = 0; i < M * K; ++i) {
    AddTo(c, i % 2 % (M * N), a[i]);
  }
)"},
};

// Whole numbers that wrap where those with a sign fall below 0.
constexpr Body kUnsigned[] = {
    {"window by one comparison", R"(
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      float s = 0.0f;
      for (int64_t p = 0; p < 3; ++p) {
        const uint64_t row = i + p - 1;
        if (row < static_cast<uint64_t>(M)) {
          for (int64_t q = 0; q < 3; ++q) {
            if (static_cast<uint64_t>(j + q - 1) < static_cast<uint64_t>(K)) {
              s += a[row * K + j + q - 1];
            }
          }
        }
      }
      c[i * N + j] = s;
    }
  }
)"},
    {"sizes without a sign", R"(
  const size_t rows = static_cast<size_t>(M);
  const size_t columns = static_cast<size_t>(N);
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 7; j + 9 < columns; ++j) {
      c[i * columns + j] = a[i * K + (j - 7) % K] + a[i * K + (j + 9) % K];
    }
    for (size_t j = 6; j < columns; ++j) {
      c[i * columns + j] += b[j * K];
    }
    for (size_t j = columns; j > 8; --j) {
      c[i * columns + j - 1] *= 0.5f;
    }
  }
)"},
    {"hashes of places", R"(
  for (uint32_t i = 0; i < static_cast<uint32_t>(M); ++i) {
    for (int j = 0; j < N; ++j) {
      uint32_t h = (i * 2654435761u) >> 7;
      h ^= (j * 2246822519u) >> 9;
      c[i * N + j] = a[h % static_cast<uint32_t>(M * K)];
    }
  }
)"},
    {"taps around a place", R"(
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      float s = 0.0f;
      for (uint32_t q = 0; q < 3; ++q) {
        if (q - 1 < 2) {
          s += b[j * K] * a[i * K + q % K];
        }
      }
      c[i * N + j] = s;
    }
  }
)"},
};

}  // namespace

std::vector<TextbookKernel> TextbookKernels() {
  std::vector<TextbookKernel> kernels;
  const auto add = [&](const auto& bodies) {
    for (const auto& [name, body] : bodies) {
      std::string source =
          "#include <algorithm>\n#include <cmath>\n#include <utility>\n"
          "#include <vector>\n";
      std::string file = KernelOf(std::string_view(body).substr(1));
      if (file.find("AddTo(") != std::string::npos) {
        file.insert(file.find("extern"),
                    "static void AddTo(float* to, int64_t at, float value) {\n"
                    "  to[at] = 0.5f * to[at] + value;\n}\n\n");
      }
      kernels.push_back({name, source + file});
    }
  };
  add(kAlgebra);
  add(kStencils);
  add(kSequences);
  add(kFunctions);
  add(kUnsigned);
  return kernels;
}

}  // namespace coppice::agents::catalogue
