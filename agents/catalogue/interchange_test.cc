#include <gtest/gtest.h>

#include "agents/catalogue/rewriting.h"

namespace coppice::agents::catalogue {
namespace {

TEST(InterchangeTest, SwapsTheLoopsOfATranspose) {
  EXPECT_EQ(Rewrite("  for (int64_t i = 0; i < M; ++i) {\n"
                    "    for (int64_t j = 0; j < N; ++j) {\n"
                    "      c[j * M + i] = a[i * N + j];\n"
                    "    }\n"
                    "  }\n",
                    "interchange(i, j)"),
            "for (int64_t j = 0; j < N; ++j) {\n"
            "  for (int64_t i = 0; i < M; ++i) {\n"
            "    c[j * M + i] = a[i * N + j];\n"
            "  }\n"
            "}\n");
}

TEST(InterchangeTest, NeedsLoopsThatAreAloneAndRectangular) {
  constexpr const char* kWhy =
      "refused: interchange(i, j): that loop is not alone within it";
  EXPECT_EQ(Rewrite("  for (int64_t i = 0; i < M; ++i) {\n"
                    "    c[i] = 0.0f;\n"
                    "    for (int64_t j = 0; j < N; ++j) {\n"
                    "      c[i] += a[i * N + j];\n    }\n  }\n",
                    "interchange(i, j)"),
            kWhy);
  EXPECT_EQ(Rewrite("  for (int64_t i = 0; i < M; ++i) {\n"
                    "    for (int64_t j = 0; j < i; ++j) {\n"
                    "      c[i * N + j] = 0.0f;\n    }\n  }\n",
                    "interchange(i, j)"),
            kWhy);
}

TEST(InterchangeTest, KeepsTheOrderOfADependence) {
  EXPECT_TRUE(Rewrite("  for (int64_t i = 0; i < M; ++i) {\n"
                      "    for (int64_t j = 0; j < N; ++j) {\n"
                      "      c[0] = c[0] * a[i * N + j] + 1.0f;\n    }\n  }\n",
                      "interchange(i, j)")
                  .starts_with("refused"));
}

// Row i adds to what row i - 1 has halved: element 3 of c is met at (1, 2)
// before (2, 1), and would be met after it.
TEST(InterchangeTest, KeepsTheOrderInWhichRowsMeet) {
  EXPECT_EQ(Rewrite("  for (int64_t i = 0; i < M; ++i) {\n"
                    "    for (int64_t j = 0; j < N; ++j) {\n"
                    "      c[i + j] = 0.5f * c[i + j] + a[i];\n    }\n  }\n",
                    "interchange(i, j)"),
            "refused: interchange(i, j): iterations may touch the same "
            "elements of `c`");
}

TEST(InterchangeTest, ColumnsThatFoldTheirRowsKeepTheirOrder) {
  EXPECT_EQ(Rewrite("  for (int64_t i = 0; i < M; ++i) {\n"
                    "    for (int64_t j = 0; j < N; ++j) {\n"
                    "      c[j] = 0.5f * c[j] + a[i];\n    }\n  }\n",
                    "interchange(i, j)"),
            "for (int64_t j = 0; j < N; ++j) {\n"
            "  for (int64_t i = 0; i < M; ++i) {\n"
            "    c[j] = 0.5f * c[j] + a[i];\n"
            "  }\n"
            "}\n");
}

TEST(InterchangeTest, RefusesWithAReason) {
  const auto why_not = [](const std::string& outer, const std::string& inner,
                          const std::string& body) {
    return WhyNot("  for (int64_t i = " + outer + ") {\n" +
                      "    for (int64_t j = " + inner + ") {\n      " + body +
                      "\n    }\n  }\n",
                  "interchange(i, j)");
  };
  const std::string rows = "1; i < M; ++i", columns = "1; j < N - 1; ++j";
  const std::string clash = "iterations may touch the same elements of `c`";
  EXPECT_EQ(why_not(rows, columns, "c[i * N + j] = a[j * M + i];"), "applies");
  EXPECT_EQ(why_not("1; i < M; i += 2", "0; j < N; j += 3",
                    "c[i * N + j] = a[j * M + i];"),
            "applies");
  // Each element from the one above it, and from the one to its left.
  EXPECT_EQ(why_not(rows, columns, "c[i * N + j] = c[(i - 1) * N + j];"),
            "applies");
  EXPECT_EQ(why_not(rows, columns, "c[i * N + j] = c[i * N + j - 1];"),
            "applies");
  // From above and to the right: it would come before that is there.
  EXPECT_EQ(why_not(rows, columns, "c[i * N + j] = c[(i - 1) * N + j + 1];"),
            clash);
  EXPECT_EQ(why_not(rows, columns,
                    "c[i * N + j] = c[(i - 1) * N + j] + c[i * N + j - 1];"),
            clash);
  // What is written by a pointer is written.
  EXPECT_EQ(why_not(rows, columns,
                    "float* p = c + j;\n      p[0] = 0.5f * p[0] + a[i];"),
            "applies");
  EXPECT_EQ(why_not(rows, columns,
                    "float* p = c + i + j;\n      p[0] = 0.5f * p[0] + a[i];"),
            clash);
  EXPECT_EQ(why_not(rows, "1; j < N; j += i", "c[i * N + j] = a[i];"),
            "that loop is not alone within it");
  EXPECT_EQ(why_not(rows, columns, "if (a[j] > 0) {\n        break;\n      }"),
            "it holds code whose effects are unknown");
  EXPECT_EQ(WhyNot("#pragma omp parallel for\n"
                   "  for (int64_t i = 0; i < M; ++i) {\n"
                   "    for (int64_t j = 0; j < N; ++j) {\n"
                   "      c[i * N + j] = 0;\n    }\n  }\n",
                   "interchange(i, j)"),
            "a pragma speaks of the order");
}

// Also in the middle of a nest, and past a comment.
TEST(InterchangeTest, LoopsAreFoundAtAnyDepth) {
  EXPECT_EQ(Rewrite("  for (int64_t t = 0; t < 3; ++t) {\n"
                    "    for (int64_t i = 0; i < M; ++i) {\n"
                    "      // columns\n"
                    "      for (int64_t j = 0; j < N; ++j) {\n"
                    "        c[i * N + j] += a[j * M + i];\n"
                    "      }\n"
                    "    }\n"
                    "  }\n",
                    "interchange(i, j)"),
            "for (int64_t t = 0; t < 3; ++t) {\n"
            "  for (int64_t j = 0; j < N; ++j) {\n"
            "    for (int64_t i = 0; i < M; ++i) {\n"
            "      c[i * N + j] += a[j * M + i];\n"
            "    }\n"
            "  }\n"
            "}\n");
}

}  // namespace
}  // namespace coppice::agents::catalogue
