// Kernels before and after, compiled and run on sizes that leave tails.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "agents/catalogue/rewriting.h"

namespace coppice::agents::catalogue {
namespace {

std::vector<float> Values(std::int64_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<float>(engine() % 2001) / 1000.0f - 1.0f);
  }
  return values;
}

// Runs both on M, N, K with a of M * K, b of N * K and c of M * N elements.
void ExpectAlike(const std::string& source, std::string_view label) {
  const Setting setting{2, {}, {}};
  const std::string changed = RewriteFile(source, label, setting);
  ASSERT_FALSE(changed.starts_with("refused")) << changed;
  const LoadedKernel before(source);
  const LoadedKernel after(changed);
  using Sizes = std::array<std::int64_t, 3>;
  for (const auto& [M, N, K] :
       {Sizes{1, 1, 1}, Sizes{5, 33, 7}, Sizes{17, 70, 35}, Sizes{8, 64, 32}}) {
    const auto a = Values(M * K, 1);
    const auto b = Values(N * K, 2);
    std::vector<float> expected(static_cast<std::size_t>(M * N), NAN);
    std::vector<float> actual = expected;
    before(a.data(), b.data(), expected.data(), M, N, K);
    after(a.data(), b.data(), actual.data(), M, N, K);
    for (std::size_t i = 0; i < actual.size(); ++i) {
      ASSERT_NEAR(actual[i], expected[i], 1e-4)
          << label << " at " << i << " of " << M << " x " << N << " x " << K;
    }
  }
}

std::string Product(const char* second) { return KernelOf(ProductOf(second)); }

TEST(EquivalenceTest, BlockedProduct) {
  ExpectAlike(Product("b[k * N + j]"),
              "jam(j, 32) + jam(i, 4, scalar) + parallel(i)");
}

TEST(EquivalenceTest, OverlappingProduct) {
  ExpectAlike(Product("b[k * N + j]"), "register_block(i, 6, 32) + restrict()");
}

TEST(EquivalenceTest, PackedProduct) {
  ExpectAlike(Product("b[j * K + k]"), "register_block(i, 8, 16)");
}

TEST(EquivalenceTest, AccumulatedProduct) {
  ExpectAlike(Product("b[j * K + k]"),
              "accumulate(k, 16) + jam(j, 4, masked) + jam(i, 2, overlap)");
}

TEST(EquivalenceTest, TransposedCopy) {
  const std::string transpose = KernelOf(
      "  for (int64_t i = 0; i < M; ++i) {\n"
      "    for (int64_t j = 0; j < N; ++j) {\n"
      "      c[j * M + i] = a[i] * b[j];\n"
      "    }\n"
      "  }\n");
  ExpectAlike(transpose, "tile(i, j, 16, 8)");
  ExpectAlike(transpose, "jam(i, 16, masked) + parallel(*)");
}

TEST(EquivalenceTest, ColumnsThatFoldTheirRows) {
  ExpectAlike(KernelOf("  for (int64_t i = 0; i < M * N; ++i) {\n"
                       "    c[i] = 1.0f;\n"
                       "  }\n"
                       "  for (int64_t k = 0; k < M; ++k) {\n"
                       "    for (int64_t j = 0; j < N; ++j) {\n"
                       "      c[j] = 0.5f * c[j] + a[k] * b[j];\n"
                       "    }\n"
                       "  }\n"),
              "tile(k, j, 4, 8)");
}

TEST(EquivalenceTest, SoftmaxOfRows) {
  ExpectAlike(KernelOf("  for (int64_t i = 0; i < M; ++i) {\n"
                       "    float big = b[0] * a[i];\n"
                       "    for (int64_t j = 0; j < N; ++j) {\n"
                       "      big = std::max(big, b[j] * a[i]);\n"
                       "    }\n"
                       "    float sum = 0.0f;\n"
                       "    for (int64_t j = 0; j < N; ++j) {\n"
                       "      c[i * N + j] = std::exp(b[j] * a[i] - big);\n"
                       "      sum += c[i * N + j];\n"
                       "    }\n"
                       "    for (int64_t j = 0; j < N; ++j) {\n"
                       "      c[i * N + j] = c[i * N + j] / sum;\n"
                       "    }\n"
                       "  }\n")
                  .insert(0, "#include <algorithm>\n#include <cmath>\n"),
              "rowwise(i, 32) + parallel(i)");
}

TEST(EquivalenceTest, RunningSums) {
  ExpectAlike(KernelOf("  for (int64_t i = 0; i < M; ++i) {\n"
                       "    float sum = 0.0f;\n"
                       "    for (int64_t j = 0; j < N; ++j) {\n"
                       "      sum += b[j] * a[i];\n"
                       "      c[i * N + j] = sum;\n"
                       "    }\n"
                       "  }\n"),
              "scan(*)");
}

TEST(EquivalenceTest, GuardedWindow) {
  ExpectAlike(
      KernelOf("  for (int64_t m = 0; m < 1; ++m) {\n"
               "    for (int64_t i = 0; i < M; ++i) {\n"
               "      for (int64_t j = 0; j < N; ++j) {\n"
               "        float s = 0.0f;\n"
               "        for (int64_t p = 0; p < 3; ++p) {\n"
               "          for (int64_t q = 0; q < 3; ++q) {\n"
               "            int64_t row = i + p - 1;\n"
               "            int64_t column = j + q - 1;\n"
               "            if (row >= 0 && row < 1 && column >= 0 && column "
               "< K) {\n"
               "              s += b[(m * 1 + row) * K + column] * a[0];\n"
               "            }\n"
               "          }\n"
               "        }\n"
               "        c[i * N + j] = s;\n"
               "      }\n"
               "    }\n"
               "  }\n"),
      "jam(j, 16, masked)");
}

TEST(EquivalenceTest, FiltersSideBySide) {
  const std::string filter = KernelOf(
      "  for (int64_t i = 0; i < M; ++i) {\n"
      "    float s = 0.0f;\n"
      "    for (int64_t j = 0; j < N; ++j) {\n"
      "      s = 0.5f * s + b[j] * a[i];\n"
      "      c[i * N + j] = s;\n"
      "    }\n"
      "  }\n");
  ExpectAlike(filter, "lanes(i, 16, staged) + parallel(i)");
  ExpectAlike(filter, "lanes(i, 4)");
}

TEST(EquivalenceTest, TablesOfProblemsSideBySide) {
  const std::string paths =
      "#include <utility>\n#include <vector>\n" +
      KernelOf(
          "  std::vector<float> above(N + 1);\n"
          "  std::vector<float> row(N + 1);\n"
          "  for (int64_t i = 0; i < M; ++i) {\n"
          "    for (int64_t j = 0; j <= N; ++j) {\n"
          "      above[j] = 0.0f;\n"
          "    }\n"
          "    for (int64_t k = 0; k < K; ++k) {\n"
          "      row[0] = a[i * K + k];\n"
          "      for (int64_t j = 1; j <= N; ++j) {\n"
          "        float best = above[j] < row[j - 1] ? above[j] : "
          "row[j - 1];\n"
          "        row[j] = best + b[j - 1] * a[i * K + k];\n"
          "      }\n"
          "      std::swap(above, row);\n"
          "    }\n"
          "    for (int64_t j = N - 1; j >= 0; --j) {\n"
          "      c[i * N + j] = above[j + 1];\n"
          "    }\n"
          "  }\n");
  ExpectAlike(paths, "lanes(i, 16, staged)");
  ExpectAlike(paths, "lanes(i, 16)");
  ExpectAlike(paths, "parallel(i)");
}

TEST(EquivalenceTest, CosinesFromATable) {
  ExpectAlike("#include <cmath>\n" +
                  KernelOf("  for (int64_t i = 0; i < M; ++i) {\n"
                           "    for (int64_t j = 0; j < N; ++j) {\n"
                           "      float s = 0.0f;\n"
                           "      for (int64_t k = 0; k < K; ++k) {\n"
                           "        float angle = 6.28f * "
                           "static_cast<float>(j * k % K) / "
                           "static_cast<float>(K);\n"
                           "        float w = cosf(angle);\n"
                           "        s += a[i * K + k] * w;\n"
                           "      }\n"
                           "      c[i * N + j] = s;\n"
                           "    }\n"
                           "  }\n"),
              "tabulate(k) + jam(j, 16, masked)");
}

TEST(EquivalenceTest, StepsWithoutCopies) {
  const std::string steps =
      "#include <vector>\n" +
      KernelOf(
          "  std::vector<float> next(M * N);\n"
          "  for (int64_t i = 0; i < M * N; ++i) {\n"
          "    c[i] = b[i % N];\n"
          "    next[i] = b[i % N];\n"
          "  }\n"
          "  for (int64_t t = 0; t < STEPS; ++t) {\n"
          "    for (int64_t i = 1; i < M - 1; ++i) {\n"
          "      for (int64_t j = 1; j < N - 1; ++j) {\n"
          "        next[i * N + j] = 0.3f * c[(i - 1) * N + j] + "
          "0.3f * c[i * N + j + 1] + a[i];\n"
          "      }\n"
          "    }\n"
          "    for (int64_t i = 0; i < M * N; ++i) {\n"
          "      c[i] = next[i];\n"
          "    }\n"
          "  }\n");
  for (const char* count : {"0", "3", "4"}) {
    std::string some = steps;
    some.replace(some.find("STEPS"), 5, count);
    ExpectAlike(some, "alternate(t) + parallel(i)");
  }
}

TEST(EquivalenceTest, WindowsByColumnsAndRows) {
  ExpectAlike(KernelOf("  for (int64_t i = 0; i < M * N; ++i) {\n"
                       "    c[i] = 0.0f;\n"
                       "  }\n"
                       "  for (int64_t i = 0; i < M; ++i) {\n"
                       "    for (int64_t j = 0; j < K; ++j) {\n"
                       "      float s = 0.0f;\n"
                       "      int64_t count = 0;\n"
                       "      for (int64_t p = -2; p <= 2; ++p) {\n"
                       "        for (int64_t q = -2; q <= 2; ++q) {\n"
                       "          int64_t row = i + p;\n"
                       "          int64_t column = j + q;\n"
                       "          if (row >= 0 && row < M && column >= 0 && "
                       "column < K) {\n"
                       "            s += a[row * K + column];\n"
                       "            count += 1;\n"
                       "          }\n"
                       "        }\n"
                       "      }\n"
                       "      c[i * K + j] = s / static_cast<float>(count);\n"
                       "    }\n"
                       "  }\n"),
              "separate(p) + jam(j, 16, masked)");
}

TEST(EquivalenceTest, BordersByThemselves) {
  const std::string blur = KernelOf(
      "  for (int64_t i = 0; i < M; ++i) {\n"
      "    for (int64_t j = 0; j < N; ++j) {\n"
      "      float s = 0.0f;\n"
      "      for (int64_t q = -2; q <= 2; ++q) {\n"
      "        int64_t at = j + q;\n"
      "        at = at > K - 1 ? K - 1 : at;\n"
      "        if (at >= 0 && i + q < M) {\n"
      "          s += a[std::max<int64_t>(i + q, 0) * K + at];\n"
      "        }\n"
      "      }\n"
      "      c[i * N + j] = s;\n"
      "    }\n"
      "  }\n");
  ExpectAlike("#include <algorithm>\n" + blur, "interior(j)");
  ExpectAlike("#include <algorithm>\n" + blur, "interior(i) + interior(j)");
}

TEST(EquivalenceTest, MediansByComparisons) {
  ExpectAlike(KernelOf("  for (int64_t i = 0; i < M; ++i) {\n"
                       "    for (int64_t j = 0; j < N; ++j) {\n"
                       "      float w[5];\n"
                       "      for (int64_t q = 0; q < 5; ++q) {\n"
                       "        int64_t at = j + q - 2;\n"
                       "        at = at < 0 ? 0 : at;\n"
                       "        at = at > N * K - 1 ? N * K - 1 : at;\n"
                       "        w[q] = b[at] * a[i];\n"
                       "      }\n"
                       "      for (int64_t u = 1; u < 5; ++u) {\n"
                       "        float v = w[u];\n"
                       "        int64_t p = u;\n"
                       "        while (p > 0 && w[p - 1] > v) {\n"
                       "          w[p] = w[p - 1];\n"
                       "          p -= 1;\n"
                       "        }\n"
                       "        w[p] = v;\n"
                       "      }\n"
                       "      c[i * N + j] = w[2] - 0.5f * w[0];\n"
                       "    }\n"
                       "  }\n"),
              "network(w) + interior(j) + simd(j)");
}

TEST(EquivalenceTest, SlidingWindows) {
  // Windows of K elements, the terms of which differ by rows of c.
  const std::string sums = KernelOf(
      "  for (int64_t i = 0; i < M; ++i) {\n"
      "    for (int64_t j = 0; j < N; ++j) {\n"
      "      float s = 0.5f;\n"
      "      int64_t count = 0;\n"
      "      for (int64_t k = -K; k <= 3; ++k) {\n"
      "        int64_t at = j + k;\n"
      "        if (at >= 0 && at < N * K) {\n"
      "          float square = b[at] * b[at];\n"
      "          s += square * a[i];\n"
      "          count += 1;\n"
      "        }\n"
      "      }\n"
      "      c[i * N + j] = s / static_cast<float>(count);\n"
      "    }\n"
      "  }\n");
  ExpectAlike(sums, "slide(k)");
  ExpectAlike(sums, "slide(k) + parallel(j)");
  ExpectAlike(KernelOf("  for (int64_t j = 0; j < M * N; ++j) {\n"
                       "    float high = -2.0f;\n"
                       "    for (int64_t k = 0; k < K; ++k) {\n"
                       "      high = b[(j + k) % (N * K)] > high ? "
                       "b[(j + k) % (N * K)] : high;\n"
                       "    }\n"
                       "    c[j] = high;\n"
                       "  }\n"),
              "slide(k) + parallel(j)");
}

TEST(EquivalenceTest, TablesByDiagonals) {
  ExpectAlike(
      "#include <algorithm>\n#include <vector>\n" +
          KernelOf("  std::vector<float> t((M + 1) * (N + 1));\n"
                   "  for (int64_t k = 0; k < K; ++k) {\n"
                   "    for (int64_t i = 0; i <= M; ++i) {\n"
                   "      t[i * (N + 1)] = 0.25f * i;\n"
                   "    }\n"
                   "    for (int64_t j = 0; j <= N; ++j) {\n"
                   "      t[j] = 0.5f * j;\n"
                   "    }\n"
                   "    for (int64_t i = 0; i < M; ++i) {\n"
                   "      for (int64_t j = 0; j < N; ++j) {\n"
                   "        float met = t[i * (N + 1) + j] + a[i * K + k] * "
                   "b[j * K + k];\n"
                   "        float best = t[i * (N + 1) + j + 1];\n"
                   "        best = std::max(best, t[(i + 1) * (N + 1) + "
                   "j]);\n"
                   "        t[(i + 1) * (N + 1) + j + 1] = std::max(best, "
                   "met);\n"
                   "      }\n"
                   "    }\n"
                   "  }\n"
                   "  for (int64_t i = 0; i < M; ++i) {\n"
                   "    for (int64_t j = 0; j < N; ++j) {\n"
                   "      c[i * N + j] = t[(i + 1) * (N + 1) + j + 1];\n"
                   "    }\n"
                   "  }\n"),
      "wavefront(i, j)");
}

TEST(EquivalenceTest, FiltersByColumnsAndRows) {
  ExpectAlike(
      KernelOf("  const float w[9] = {0.25f, 0.5f, 0.25f, 0.5f, 1.0f, 0.5f, "
               "0.25f, 1.0f / 2.0f, 0.25f};\n"
               "  for (int64_t i = 0; i < M; ++i) {\n"
               "    for (int64_t j = 0; j < N; ++j) {\n"
               "      float s = 0.0f;\n"
               "      for (int64_t p = 0; p < 3; ++p) {\n"
               "        for (int64_t q = 0; q < 3; ++q) {\n"
               "          int64_t row = i + p - 1;\n"
               "          int64_t column = j + q - 1;\n"
               "          if (row >= 0 && row < M && column >= 0 && column < "
               "K) {\n"
               "            s += a[row * K + column] * w[p * 3 + q];\n"
               "          }\n"
               "        }\n"
               "      }\n"
               "      c[i * N + j] = s;\n"
               "    }\n"
               "  }\n"),
      "separate(p) + jam(j, 16, masked)");
}

}  // namespace
}  // namespace coppice::agents::catalogue
