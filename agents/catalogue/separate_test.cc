#include "agents/catalogue/separate.h"

#include <gtest/gtest.h>

#include "agents/catalogue/rewriting.h"

namespace coppice::agents::catalogue {
namespace {

std::string Blur(const std::string& guard, const std::string& sum) {
  return "  for (int64_t i = 0; i < M; ++i) {\n"
         "    for (int64_t j = 0; j < K; ++j) {\n"
         "      float s = 0.0f;\n"
         "      for (int64_t p = -1; p <= 1; ++p) {\n"
         "        for (int64_t q = -1; q <= 1; ++q) {\n"
         "          if (" +
         guard + ") {\n            " + sum +
         "\n          }\n        }\n      }\n"
         "      c[i * K + j] = s;\n    }\n  }\n";
}

const char* const kInside =
    "i + p >= 0 && i + p < M && j + q >= 0 && j + q < K";

TEST(SeparateTest, ColumnsOfAWindowAreSummedOncePerRow) {
  EXPECT_EQ(
      Rewrite(Blur(kInside, "s += a[(i + p) * K + j + q];"), "separate(p)"),
      "for (int64_t i = 0; i < M; ++i) {\n"
      "  std::vector<float> s_line(K + 2);\n"
      "  for (int64_t p = -1; p < 2; ++p) {\n"
      "    if (i + p >= 0 && i + p < M) {\n"
      "      for (int64_t s_column = 0; s_column < K; ++s_column) {\n"
      "        s_line[s_column + 1] += a[K * i + K * p + s_column];\n"
      "      }\n"
      "    }\n"
      "  }\n"
      "  for (int64_t j = 0; j < K; ++j) {\n"
      "    float s = 0.0f;\n"
      "    for (int64_t q = -1; q < 2; ++q) {\n"
      "      s += s_line[j + q + 1];\n"
      "    }\n"
      "    c[i * K + j] = s;\n"
      "  }\n"
      "}\n");
}

TEST(SeparateTest, WeightsOfRowAndOfColumnAreApplied) {
  const std::string made =
      Rewrite(Blur(kInside, "s += a[(i + p) * K + j + q] * b[p + 1] * b[q];"),
              "separate(p)");
  EXPECT_NE(made.find("s_line[s_column + 1] += a[K * i + K * p + s_column] * "
                      "b[p + 1];"),
            std::string::npos)
      << made;
  EXPECT_NE(made.find("s += s_line[j + q + 1] * b[q];"), std::string::npos)
      << made;
}

std::string Weighted(const std::string& table) {
  return "  const float w[3][3] = " + table + ";\n" +
         Blur(kInside, "s += w[p + 1][q + 1] * a[(i + p) * K + j + q];");
}

TEST(SeparateTest, ATableOfWeightsIsTakenApartIfItIsAProduct) {
  // The greatest is 4: its column 2 4 2 times its row over 4, 0.5 1 0.5.
  const std::string made =
      Rewrite(Weighted("{{1.0f, 2.0f, 1.0f}, {2.0f, 4.0f, 2.0f}, {1.0f, 2.0f, "
                       "1.0f}}"),
              "separate(p)");
  EXPECT_NE(made.find("const float w_rows[3] = {2.0f, 4.0f, 2.0f};\n"
                      "const float w_columns[3] = {0.5f, 1.0f, 0.5f};\n"),
            std::string::npos)
      << made;
  EXPECT_NE(made.find("* w_rows[p + 1];"), std::string::npos) << made;
  // Sobel's filter: 1 0 -1 beside 1 2 1.
  EXPECT_NE(Rewrite(Weighted("{{-1.0f, 0.0f, 1.0f}, {-2.0f, 0.0f, 2.0f}, "
                             "{-1.0f, 0.0f, 1.0f}}"),
                    "separate(p)")
                .find("w_columns[3] = {1.0f, 0.0f, -1.0f};"),
            std::string::npos);
  // Laplace's is a sum of two products.
  EXPECT_EQ(Rewrite(Weighted("{{0.0f, 1.0f, 0.0f}, {1.0f, -4.0f, 1.0f}, "
                             "{0.0f, 1.0f, 0.0f}}"),
                    "separate(p)"),
            "refused: separate(p): the weights are no product of rows and "
            "columns");
}

TEST(SeparateTest, WeightsMustBeProductsOfRowAndColumn) {
  EXPECT_EQ(Rewrite(Blur(kInside,
                         "s += a[(i + p) * K + j + q] * b[3 * p + q + 4];"),
                    "separate(p)"),
            "refused: separate(p): a weight depends on row and column at once");
  EXPECT_EQ(Rewrite(Blur(kInside,
                         "s += a[(i + p) * K + j + q] * a[i * K + j];"),
                    "separate(p)"),
            "refused: separate(p): a summand is a product of loads");
  EXPECT_EQ(Rewrite(Blur(kInside, "s += a[(i + p) * K + j + q] * (p + q);"),
                    "separate(p)"),
            "refused: separate(p): a factor depends on row and column at once");
}

TEST(SeparateTest, GuardsMustBeThoseOfTheBorder) {
  EXPECT_EQ(Rewrite(Blur("i + p >= 0 && i + p < M && j + q >= 0",
                         "s += a[(i + p) * K + j + q];"),
                    "separate(p)"),
            "refused: separate(p): a guard is of one border only");
  EXPECT_EQ(Rewrite(Blur("i + p < j + q", "s += a[(i + p) * K + j + q];"),
                    "separate(p)"),
            "refused: separate(p): a guard depends on row and column at once");
}

}  // namespace
}  // namespace coppice::agents::catalogue
