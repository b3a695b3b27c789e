#include "agents/catalogue/textbook_kernels.h"

#include <string_view>
#include <utility>

#include "agents/catalogue/rewriting.h"

namespace coppice::agents::catalogue {
namespace {

using Body = std::pair<const char*, const char*>;  // Name and statements.

struct Stranger {
  const char* name;
  const char* above;  // Functions and macros in front of the entry.
  const char* tried;  // See TextbookKernel.
  const char* body;
};

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

// What strangers bring: other names for an array, ends that are no plain
// sizes, helpers, macros and lambdas, casts and types of all kinds.
constexpr Stranger kStrangers[] = {
    {"a second name for the output", "", "parallel(j); jam(j, 4); simd(j)", R"(
  float* out = c;
  for (int64_t j = 1; j < M * N; ++j) {
    out[j] = 0.5f * c[j - 1] + b[j % (N * K)];
  }
)"},
    {"a factor that is an output", "", "hoist(j); promote(j)", R"(
  float* first = c;
  for (int64_t j = 0; j < M * N; ++j) {
    c[j] = first[0] * 0.5f + c[j];
  }
)"},
    {"a choice of two outputs", "", "parallel(i); jam(i, 2); jam(j, 4)", R"(
  for (int64_t i = 1; i < M; ++i) {
    float* out = i % 2 == 0 ? c : c + N;
    for (int64_t j = 0; j < N; ++j) {
      out[j] = 0.5f * out[j] + a[i * K];
    }
  }
)"},
    {"an output that needs no type", "", "parallel(i); interchange(i, j)", R"(
  for (int64_t i = 0; i < M; ++i) {
    auto out = c;
    for (int64_t j = 0; j < N; ++j) {
      out[j] = 0.5f * out[j] + a[i * K] * b[j * K];
    }
  }
)"},
    {"sums into a reference", "", "accumulate(k, 8); simd(k); parallel(k)", R"(
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      float& s = c[i * N + j];
      s = 0.0f;
      for (int64_t k = 0; k < K; ++k) {
        s += a[i * K + k] * b[j * K + k];
      }
    }
  }
)"},
    {"a sum over what it is stored in", "", "accumulate(j, 2); parallel(j)", R"(
  float& s = c[1];
  for (int64_t j = 0; j < M * N; ++j) {
    s += c[j];
  }
)"},
    {"pointers that walk", "",
     "parallel(i); jam(i, 2); jam(j, 4); hoist(j); interchange(i, j)", R"(
  float* out = c;
  const float* x = a;
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      out[j] = x[0] * b[j * K];
    }
    out += N;
    x += K;
  }
)"},
    {"a loop of pointers", "", "accumulate(p, 8); simd(p); parallel(p)", R"(
  float s = 0.0f;
  for (const float* p = a; p < a + M * K; ++p) {
    s += p[0];
  }
  c[0] = s;
)"},
    {"steps that are fractions", "", "accumulate(x, 8); block(x, 3)", R"(
  float s = 0.0f;
  for (float x = 0.0f; x < M; x += 0.25f) {
    s += x;
  }
  c[0] = s;
)"},
    {"an end that comes closer", "",
     "jam(i, 4); jam(i, 4, overlap); block(i, 3); parallel(i)", R"(
  for (int64_t i = 0; i < M * N - i; ++i) {
    c[i] = b[i % (N * K)] + i;
  }
  for (int64_t q = 1; q <= M * N / q; ++q) {
    c[q - 1] += 1.0f;
  }
)"},
    {"places with a sign, ends without", "",
     "jam(j, 4); jam(p, 4); parallel(j); simd(j); simd(p); jam(p, 4, overlap)",
     R"(
  const size_t columns = static_cast<size_t>(N);
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j + 9 < columns; ++j) {
      c[i * N + j] = a[i * K] + b[(j + 9) * K];
    }
    for (int p = 7; p < columns; ++p) {
      c[i * N + p] *= 0.5f;
    }
  }
)"},
    {"as many as a vector holds", "", "accumulate(q, 8); accumulate(q, 2)", R"(
  std::vector<float> x(K);
  for (int64_t k = 0; k < K; ++k) {
    x[k] = a[k];
  }
  auto n = x.size();
  float s = 0.0f;
  for (int64_t q = 3; q < x.size(); ++q) {
    s += x[q];
  }
  for (int64_t p = 3; p < n; ++p) {
    s += x[p];
  }
  c[0] = s;
)"},
    {"a count of a byte", "", "jam(q, 4); parallel(q); unroll(q); block(q, 3)",
     R"(
  for (uint8_t q = 0; q < 7; ++q) {
    c[q] = b[q % (N * K)];
  }
  for (long long i = 7; i < M * N; i += 2LL) {
    c[i] = 1.0f;
  }
)"},
    {"a variable that outlives its loop", "", "parallel(j); jam(j, 4)", R"(
  int64_t i;
  for (i = 0; i < M; i = i + 1) {
    for (int64_t j = 0; j < N; ++j) {
      c[i * N + j] = a[i * K];
    }
  }
  c[0] = i;
)"},
    {"one name for two loops", "", "jam(i, 4); unroll(i); parallel(i)", R"(
  for (int64_t i = 0; i < 3; ++i) {
    c[i] = 0.5f * c[i];
    for (int64_t i = 1; i < 4; ++i) {
      c[i] = 0.5f * c[i - 1] + 1.0f;
    }
  }
)"},
    {"a place that the body moves on", "", "block(i, 3); block(i, 4)", R"(
  for (int64_t i = 0; i < M * N; ++i) {
    float run = 1.0f;
    while (i + 1 < M * N && i % 5 != 4) {
      ++i;
      run += 1.0f;
    }
    c[i] = run;
  }
)"},
    {"steps that the body stores", "", "block(j, 4); block(j, 2)", R"(
  std::vector<int64_t> step(1);
  step[0] = 1;
  for (int64_t j = 0; j < M * N; j += step[0]) {
    c[j] = 1.0f;
    step[0] = j % 3 + 1;
  }
)"},
    {"a length that is halved", "", "interior(j); jam(j, 4); pad()", R"(
  int64_t n = N;
  while (n > 3) {
    n /= 2;
  }
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      c[i * N + j] = j + 1 < n ? b[(j + 1) * K] : 0.0f;
    }
  }
)"},
    {"a place noted before it moves", "", "jam(j, 4); parallel(j); simd(j)", R"(
  int64_t n = 0;
  int64_t from = n;
  n += 1;
  for (int64_t j = 0; j + 1 < M * N; ++j) {
    c[n + j] = 0.5f * c[from + j] + 0.25f;
  }
)"},
    {"places of places", "", "parallel(j); jam(j, 4); scan(j); simd(j)", R"(
  std::vector<int64_t> at(N);
  for (int64_t i = 0; i < N; ++i) {
    at[i] = (i * 3 + 1) % N;
  }
  for (int64_t j = 0; j < N; ++j) {
    c[at[at[j]]] = 0.5f * c[at[j]] + b[j * K];
  }
)"},
    {"rows of rows", "",
     "jam(j, 4); parallel(i); promote(i); lanes(i, 4); tile(i, j, 3, 5)", R"(
  std::vector<std::vector<float>> rows(M, std::vector<float>(N));
  bool wide = M < N;
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      rows[i][j] = a[i * K] * b[j * K];
    }
  }
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      c[i * N + j] = rows[i][j] + wide;
    }
  }
)"},
    {"flags of a byte", "", "jam(j, 4); accumulate(j, 8); parallel(j)", R"(
  std::vector<unsigned char> seen(N);
  std::vector<const float*> rows(N, b);
  for (int64_t j = 0; j < N; ++j) {
    seen[j] = b[j * K] > 0.0f;
  }
  short n = 0;
  for (int64_t p = 0; p < N; ++p) {
    n += seen[p] ? 900 : -1;
  }
  for (int64_t i = 0; i < M; ++i) {
    c[i * N] = n + rows[N - 1][0];
  }
)"},
    {"whole sums of fractions", "",
     "accumulate(k, 8); parallel(k); simd(k); accumulate(q, 8)", R"(
  int64_t n = 100;
  for (int64_t k = 0; k < M * K; ++k) {
    n -= a[k] * 3.0f;
  }
  int low = 50;
  for (int64_t q = 0; q < N * K; ++q) {
    low += 2.5f * b[q];
  }
  c[0] = n;
  c[1] = low;
)"},
    {"extremes of two types", "",
     "accumulate(k, 8); accumulate(q, 4); accumulate(p, 2); simd(k)", R"(
  float most = -9.0f;
  for (int64_t k = 0; k < M * K; ++k) {
    most = fmaxf(most, a[k] * 0.5);
  }
  double least = 9.0;
  for (int64_t q = 0; q < N * K; ++q) {
    least = std::min<double>(b[q], least);
  }
  int last = 0;
  for (int64_t p = 0; p < M; ++p) {
    last = p > last ? p : last;
  }
  c[0] = most;
  c[1] = least;
  c[2] = last;
)"},
    {"numbers by powers of two", "", "jam(i, 4); hoist(i)", R"(
  for (int64_t i = 0; i < M * N; ++i) {
    c[i] = b[i % (N * K)] * 0x1.8p-3f - 0x1p+1f;
  }
)"},
    {"casts by name", "", "hoist(j); jam(j, 4); unroll(j)", R"(
  for (int64_t i = 0; i < M; ++i) {
    float s = a[i * K];
    for (int64_t j = 0; j < N; ++j) {
      c[i * N + j] = j / int(s * 3.0f + 4.0f) + float(j) / 2 +
                     (unsigned)j % unsigned(i + 1);
    }
  }
)"},
    {"signs, choices and brackets", "", "jam(j, 4); hoist(j); unroll(j)", R"(
  for (int64_t j = 0; j < M * N; ++j) {
    float x = b[j % (N * K)];
    float y = -(-x) - (x - (2.0f - x)) * -x;
    int64_t q = (j & 3) == 0 ? j - (3 - j) : (j | 4) << (1 + (j & 1));
    bool p = !(x < y) && (q > 4 || !(q != 2));
    c[j] = p ? x > 0.5f ? 1.0f : (float)q / 8 : (x = y) + x;
  }
)"},
    {"medians by the library", "",
     "jam(i, 4); lanes(i, 4); network(w); parallel(i); network(w) + jam(i, 4)",
     R"(
  for (int64_t i = 0; i < M * N; ++i) {
    float w[5];
    for (int64_t q = 0; q < 5; ++q) {
      w[q] = b[(i + q) % (N * K)];
    }
    std::sort(w, w + 5);
    c[i] = w[2];
  }
)"},
    {"own elements filled by the library", "", "jam(i, 4); lanes(i, 4)", R"(
  for (int64_t i = 0; i < M; ++i) {
    float w[4];
    std::fill(w, w + 4, a[i * K]);
    for (int64_t j = 0; j < N; ++j) {
      c[i * N + j] = w[j % 4];
    }
  }
)"},
    {"neighbours by a helper",
     "static float At(const float* x, int64_t i) { return i < 0 ? 0 : x[i]; "
     "}\n",
     "jam(j, 4); parallel(j); simd(j); promote(j); jam(j, 4, overlap)", R"(
  for (int64_t j = 0; j < M * N; ++j) {
    c[j] = 0.5f * At(c, j - 1) + b[j % (N * K)];
  }
)"},
    {"noise by a helper",
     "static float Next(uint32_t& s) {\n"
     "  s = s * 1664525u + 1013904223u;\n  return (s >> 9) * 1e-7f;\n}\n",
     "parallel(i); jam(i, 4); hoist(j); lanes(i, 4); jam(j, 4); parallel(j)",
     R"(
  uint32_t state = 42;
  for (int64_t j = 0; j < M * N; ++j) {
    c[j] = Next(state);
  }
  for (int64_t i = 0; i < M; ++i) {
    uint32_t own = 7;
    for (int64_t j = 0; j < N; ++j) {
      c[i * N + j] += Next(own);
    }
  }
)"},
    {"a helper that counts its calls",
     "static float Weight(float x) {\n"
     "  static int calls = 0;\n  calls = (calls + 1) % 4;\n"
     "  return x + calls;\n}\n",
     "hoist(j); jam(i, 4); interchange(i, j); fission(j)", R"(
  float all = 0.0f;
  for (int64_t i = 0; i < 4 * M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      all += Weight(a[0]);
    }
  }
  c[0] = all;
)"},
    {"a lambda that adds", "", "parallel(i); jam(i, 4); fission(i)", R"(
  auto add = [&](int64_t at, float value) { c[at] = 0.5f * c[at] + value; };
  for (int64_t i = 0; i < M * N; ++i) {
    add(i % 4, 0.25f * i);
  }
)"},
    {"macros that read and add",
     "#define AT(x, i, j, n) x[(i) * (n) + (j)]\n#define ADD(s, v) s += v\n",
     "jam(i, 4); jam(j, 4); parallel(i); accumulate(k, 8); lanes(i, 4)", R"(
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      float s = 0.0f;
      for (int64_t k = 0; k < K; ++k) {
        float v = AT(a, i, k, K) * AT(b, j, k, K);
        ADD(s, v);
      }
      AT(c, i, j, N) = s;
    }
  }
)"},
    {"a sum by do and while", "", "parallel(i); jam(i, 4); block(i, 3)", R"(
  for (int64_t i = 0; i < M; ++i) {
    float s = 0.0f;
    int64_t k = 0;
    do {
      s += a[i * K + k];
      ++k;
    } while (k < K);
    c[i * N] = s;
  }
)"},
    {"an early return", "", "parallel(i); block(i, 3); jam(i, 4); unroll(q)",
     R"(
  for (int64_t i = 0; i < M * N; ++i) {
    if (i > 40) {
      return;
    }
    c[i] = 1.0f;
    for (int64_t q = 0; q < 2; ++q) {
      struct Pair { float x, y; } both = {b[0], c[i]};
      c[i] = both.x + 0.5f * both.y;
    }
  }
)"},
    {"rows that a while loop reads", "",
     "parallel(i); lanes(i, 16); lanes(i, 4); alternate(t)", R"(
  std::vector<float> row(N);
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      row[j] = a[i * K] * b[j * K];
    }
    for (int64_t j = 0; j < N; ++j) {
      c[i * N + j] = row[j];
    }
  }
  std::vector<float> next(N);
  for (int64_t t = 0; t < 2; ++t) {
    for (int64_t p = 0; p < N; ++p) {
      next[p] = 0.5f * c[p] + 1.0f;
    }
    for (int64_t p = 0; p < N; ++p) {
      c[p] = next[p];
    }
  }
  int64_t q = 0;
  while (q < N) {
    c[q] += row[q] + next[q];
    ++q;
  }
)"},
    {"windows over what a while loop writes", "",
     "separate(p); pad(); pack(c, j); slide(p); interior(j)", R"(
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      float s = 0.0f;
      for (int64_t p = -1; p <= 1; ++p) {
        for (int64_t q = -1; q <= 1; ++q) {
          if (i + p >= 0 && i + p < M && j + q >= 0 && j + q < N) {
            s += c[(i + p) * N + j + q];
          }
        }
      }
      int64_t k = i * N + j;
      while (k < i * N + j + 1) {
        c[k] = 0.25f * s;
        ++k;
      }
    }
  }
)"},
    {"work that threads share", "",
     "accumulate(k, 8); parallel(k); simd(k); block(k, 3); parallel(j)", R"(
  float s = 0.0f;
#pragma omp parallel
  {
#pragma omp for reduction(+:s)
    for (int64_t k = 0; k < M * K; ++k) {
      s += a[k];
    }
#pragma omp for
    for (int64_t j = 0; j < M * N; ++j) {
      c[j] = 0.5f * c[j];
    }
  }
  c[0] = s;
)"},
    {"powers of places", "", "math(pow); jam(j, 4); hoist(j)", R"(
  for (int64_t j = 0; j < M * N; ++j) {
    c[j] = std::pow(j, 2) / 4 + std::pow(b[j % (N * K)], 3.0f);
  }
)"},
    {"windows cut to whole numbers", "",
     "slide(k); separate(p); accumulate(k, 4); interior(j)", R"(
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      int32_t s = 0;
      for (int64_t k = 0; k < 4; ++k) {
        s += 7.0f * b[(j + k) % (N * K)];
      }
      int32_t t = 0;
      for (int64_t p = 0; p < 2; ++p) {
        for (int64_t q = 0; q < 2; ++q) {
          if (i - p >= 0 && j - q >= 0 && j - q < K) {
            t += 5.0f * a[(i - p) * K + j - q];
          }
        }
      }
      c[i * N + j] = s + t;
    }
  }
)"},
    {"places that sums and counts step through", "",
     "scan(j); privatize(q, 2); privatize(q, 3)", R"(
  int64_t p = 0;
  float s = 0.0f;
  for (int64_t j = 0; j < N; ++j) {
    s += b[p++ * K];
    c[j] = s;
  }
  p = 0;
  for (int64_t q = 0; q < N; ++q) {
    c[q & 7] += b[p++ * K];
  }
)"},
    {"a pointer beside a number", "", "jam(j, 4); hoist(j)", R"(
  float *out = c, s = 0.5f;
  for (int64_t j = 0; j < M * N; ++j) {
    out[j] = s * b[j % (N * K)];
  }
)"},
};

}  // namespace

std::vector<TextbookKernel> TextbookKernels() {
  std::vector<TextbookKernel> kernels;
  const auto add_one = [&](const char* name, const std::string& above,
                           const char* tried, const char* body) {
    const std::string headers =
        "#include <algorithm>\n#include <cmath>\n#include <utility>\n"
        "#include <vector>\n";
    std::string file = KernelOf(std::string_view(body).substr(1));
    if (!above.empty()) file.insert(file.find("extern"), above + "\n");
    kernels.push_back({name, headers + file, tried});
  };
  const auto add = [&](const auto& bodies) {
    for (const auto& [name, body] : bodies) {
      const bool adds =
          std::string_view(body).find("AddTo(") != std::string_view::npos;
      add_one(name,
              adds ? "static void AddTo(float* to, int64_t at, float value) {\n"
                     "  to[at] = 0.5f * to[at] + value;\n}\n"
                   : "",
              "", body);
    }
  };
  add(kAlgebra);
  add(kStencils);
  add(kSequences);
  add(kFunctions);
  add(kUnsigned);
  for (const Stranger& one : kStrangers) {
    add_one(one.name, one.above, one.tried, one.body);
  }
  return kernels;
}

}  // namespace coppice::agents::catalogue
