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
  EXPECT_EQ(
      Rewrite(Blur(kInside, "s += a[(i + p) * K + j + q] * b[3 * p + q + 4];"),
              "separate(p)"),
      "refused: separate(p): a weight depends on row and column at once");
  EXPECT_EQ(
      Rewrite(Blur(kInside, "s += a[(i + p) * K + j + q] * a[i * K + j];"),
              "separate(p)"),
      "refused: separate(p): a summand is a product of loads");
  EXPECT_EQ(Rewrite(Blur(kInside, "s += a[(i + p) * K + j + q] * (p + q);"),
                    "separate(p)"),
            "refused: separate(p): a factor depends on row and column at once");
}

TEST(SeparateTest, RefusesWithAReason) {
  const std::string sum = "s += a[(i + p) * K + j + q];";
  const auto why_not = [&](const std::string& old, const std::string& other) {
    std::string blur = Blur(kInside, sum);
    blur.replace(blur.find(old), old.size(), other);
    return WhyNot(blur, "separate(p)");
  };
  struct Case {
    const char *old, *other, *why;
  };
  const char* const sum_text = sum.c_str();
  for (const auto& [old, other, why] : {
           Case{"p <= 1", "p <= 2", "applies"},
           // The nest.
           Case{"int64_t p", "int64_t r",
                "the loop runs over no window in a plane"},
           Case{"++j", "j += 2", "a loop has a step or a pragma"},
           Case{"j = 0", "j = -1", "columns begin before the first"},
           Case{"q <= 1", "q <= i", "the window's size changes"},
           Case{"q = -1", "q = -p", "the window's size changes"},
           // What it does.
           Case{sum_text, "int64_t at = p;", "nothing is summed"},
           Case{sum_text, "c[0] = s;", "it does more than sum"},
           Case{"s += a", "s -= a", "it does more than sum"},
           Case{"s += a", "s *= a", "it does more than sum"},
           Case{"float s = 0.0f;", "", "what is summed into is not local"},
           Case{"a[(i + p) * K + j + q]", "(a[j + q] + 1.0f)",
                "a summand is no plain product"},
           Case{"a[(i + p) * K + j + q]", "c[(i + p) * K + j + q]",
                "the array is written here"},
           // Where it reads.
           Case{"(i + p) * K + j + q", "(i + p) * (j + q)",
                "a subscript is no sum"},
           Case{"(i + p) * K + j + q", "(i + p) / 2 * K + j + q",
                "a subscript is no sum"},
           Case{"j + q >= 0", "j + q >= 1",
                "a guard is not of the image's border"},
           Case{"j + q >= 0", "j + q + 1 >= 0",
                "a guard is not of the column that is read"},
           Case{"j + q >= 0", "a[j + q] >= 0", "a guard depends on data"},
       }) {
    EXPECT_EQ(why_not(old, other), why) << old << " as " << other;
  }
  EXPECT_EQ(WhyNot(Blur(kInside, sum + "\n          }\n          {\n" + sum),
                   "separate(p)"),
            "it does more than sum");
}

// Weights that a double holds and nothing prints as short.
TEST(SeparateTest, WeightsAreReadAsCPlusPlusReadsThem) {
  const auto columns = [](const std::string& row) {
    const std::string made = Rewrite(
        Weighted("{" + row + ", " + row + ", " + row + "}"), "separate(p)");
    const std::size_t at = made.find("w_columns[3] = ");
    return at == made.npos ? made
                           : made.substr(at + 15, made.find(";", at) - at - 15);
  };
  // 8 and 16 over 16; 1/4 of 1; subnormal numbers are numbers, too.
  EXPECT_EQ(columns("{010, 0x10, 8}"), "{0.5f, 1.0f, 0.5f}");
  EXPECT_EQ(columns("{1.0f / 4, 1e0f, -.5f}"), "{0.25f, 1.0f, -0.5f}");
  EXPECT_EQ(columns("{1e-310, 1.0f, 1}"),
            "{9.9999999999999694e-311f, 1.0f, 1.0f}");
  const std::string no =
      "refused: separate(p): a weight depends on row and column at once";
  EXPECT_EQ(columns("{1e999, 1.0f, 1.0f}"), no);
  EXPECT_EQ(columns("{1 / 2, 1.0f, 1.0f}"), no);  // 0, as integers divide.
  EXPECT_EQ(columns("{N, 1.0f, 1.0f}"), no);
  EXPECT_EQ(columns("{1.0f / 0.0f, 1.0f, 1.0f}"), no);
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

TEST(SeparateTest, WhatUnknownCodeMayWriteIsNotSummedBefore) {
  const auto why_not = [](const std::string& array, const std::string& type) {
    return WhyNot(
        "  for (int64_t i = 1; i < M; ++i) {\n"
        "    for (int64_t j = 1; j < N; ++j) {\n      " +
            type +
            " s = 0;\n"
            "      for (int64_t p = 0; p < 2; ++p) {\n"
            "        for (int64_t q = 0; q < 2; ++q) {\n"
            "          s += " +
            array +
            "[(i - p) * N + j - q];\n"
            "        }\n"
            "      }\n"
            "      while (s > 1) {\n        s /= 2;\n"
            "        c[i * N + j] = s;\n      }\n"
            "    }\n"
            "  }\n",
        "separate(p)");
  };
  EXPECT_EQ(why_not("a", "float"), "applies");
  EXPECT_EQ(why_not("c", "float"), "the array is written here");
  EXPECT_EQ(why_not("a", "int64_t"), "`s` is cut to a whole number each time");
}

}  // namespace
}  // namespace coppice::agents::catalogue
